/**
 * A private link: the key of a sealed reply in the fragment of an address, which browsers send to no server. Anybody who
 * has the link can open the reply.
 *
 * @module
 */
import { xWing } from '#pqc'
import { decodeBase64url, encodeBase64url } from '#protocol/base/base64url'
import { checkCall } from '../arguments/check.ts'
import { REPLY_SEED_BYTES, type ReplyKey, replyKeySchema } from './reply.ts'

const VERSION = 'v1'
const ASSET = 'asset:sha3-384:'
const OWNER = 'did:svc:'

/** The address of `page` with the key in its fragment, some 300 characters. Another fragment of `page` is replaced. */
export function replyLinkOf(key: ReplyKey, page: string): string {
  checkCall('replyLinkOf', [key, page], ['key', 'page'])
  const { requestId, assetId, owner, seedB64u } = key
  const link = new URL(page)
  link.hash = [VERSION, requestId, assetId.slice(ASSET.length), owner.slice(OWNER.length), seedB64u].join('.')
  return link.href
}

/** The key in a private link, or in its fragment alone; null if there is none, or part of it is missing. */
export async function replyKeyOf(link: string): Promise<ReplyKey | null> {
  checkCall('replyKeyOf', [link], ['link'])
  const text = link.trim()
  const [version, requestId = '', asset = '', owner = '', seedB64u = '', ...more] = text
    .slice(text.indexOf('#') + 1)
    .split('.')
  const seed = decodeBase64url(seedB64u)
  if (version !== VERSION || more.length > 0 || seed?.length !== REPLY_SEED_BYTES) return null
  const parsed = replyKeySchema.safeParse({
    format: 'svc/reply-key/v1',
    requestId,
    assetId: ASSET + asset,
    owner: OWNER + owner,
    publicKeyB64u: encodeBase64url(await xWing.publicKeyOf(seed)),
    seedB64u,
  })
  return parsed.success ? parsed.data : null
}
