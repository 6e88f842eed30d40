import { RbacAuthorizer } from '../authz/rbac.js';
import { testContext } from '../testing/context.js';
import { ADMISSION_PLUGINS, chosenPlugins } from './plugin-names.js';
import { assembleAdmission } from './plugins.js';

function assembled(enableAdmissionPlugins: string[], disableAdmissionPlugins: string[] = []): string[] {
  const context = testContext({ enableAdmissionPlugins, disableAdmissionPlugins });
  return assembleAdmission(context, new RbacAuthorizer(context.view)).map(({ name }) => name);
}

test('plugins stand in order, whatever the order of the flags; those that are off stay out', () => {
  const names = assembled(['DenyServiceExternalIPs', 'AlwaysPullImages', 'NamespaceExists'], ['PodSecurity']);
  expect(names.slice(0, 2)).toEqual(['NamespaceLifecycle', 'NamespaceExists']);
  expect(names.indexOf('AlwaysPullImages')).toBeLessThan(names.indexOf('Priority'));
  expect(names.slice(-2)).toEqual(['ResourceQuota', 'RBACEscalationCheck']);
  expect(names).not.toContain('PodSecurity');
  expect(names).not.toContain('EventRateLimit');
});

test('every plugin that can be enabled has a class', () => {
  const usable = ADMISSION_PLUGINS.filter(({ state }) => state === undefined).map(({ name }) => name);
  expect(assembled(usable)).toEqual([...usable, 'RBACEscalationCheck']);
});

test('names that cannot be enabled or disabled, all at once', () => {
  expect(() => chosenPlugins(['Foo', 'AlwaysAdmit'], ['Bar', 'AlwaysAdmit'])).toThrow(
    '[enable-admission-plugins plugin "Foo" is unknown, disable-admission-plugins plugin "Bar" is unknown, [AlwaysAdmit] in enable-admission-plugins and disable-admission-plugins overlapped]');
  expect(() => chosenPlugins(['ImagePolicyWebhook'], [])).toThrow('enable-admission-plugins plugin "ImagePolicyWebhook" is not part of this server');
  // Upstream turns these on by default, and has nothing for them to do.
  expect(chosenPlugins(['JobValidation'], ['ValidatingAdmissionPolicy'])).not.toContain('JobValidation');
});
