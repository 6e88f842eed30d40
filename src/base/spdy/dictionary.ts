/**
 * The dictionary with which SPDY/3.1 header blocks are compressed: words with their length in front (four bytes, big
 * endian), then a text without any. A constant of the protocol.
 */
export function headerDictionary(): Buffer {
  const parts = WORDS.map((word) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(word.length);
    return Buffer.concat([length, Buffer.from(word, 'latin1')]);
  });
  return Buffer.concat([...parts, Buffer.from(TAIL, 'latin1')]);
}

const WORDS = [
  'options,head,post,put,delete,trace,accept,accept-charset,accept-encoding,accept-language,accept-ranges,age,allow',
  'authorization,cache-control,connection,content-base,content-encoding,content-language,content-length,content-location',
  'content-md5,content-range,content-type,date,etag,expect,expires,from,host,if-match,if-modified-since,if-none-match',
  'if-range,if-unmodified-since,last-modified,location,max-forwards,pragma,proxy-authenticate,proxy-authorization,range',
  'referer,retry-after,server,te,trailer,transfer-encoding,upgrade,user-agent,vary,via,warning,www-authenticate,method,get',
  'status,200 OK,version,HTTP/1.1,url,public,set-cookie,keep-alive,origin',
].flatMap((line) => line.split(','));

const TAIL =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Informat' +
  'ion204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error' +
  '501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, ' +
  'Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/' +
  'javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';
