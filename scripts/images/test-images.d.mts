/** An image's name and its archives. */
export interface TestImageFiles {
  readonly name: string;
  readonly docker: string;
  readonly oci: string;
}
export declare function makeTestImages(folder: string, which?: readonly string[]): Promise<Record<string, TestImageFiles>>;
export declare function testImageFiles(which: 'busybox' | 'nginx' | 'tools'): Promise<TestImageFiles>;
