/**
 * Which writes can be sent again with the same body after a lost answer or a 503, because the service takes them once:
 * the table "What to retry, and how" of the page First client, and what the pages of single routes say. Reads can be
 * repeated always, anything else never.
 *
 * @module
 */

import { pure } from '#protocol/base/pure'
import type { Call } from './call.ts'

const ID = '[^/]+'

const WRITES: readonly string[] = [
  'POST /api/genesis/init',
  'POST /api/chain/append',
  'POST /api/chain/deactivate',
  'POST /api/chain/rotation/(v2/)?activate',
  'POST /api/chain/rotation/(freeze|cosign|rehearse)',
  'POST /api/rotation/(request|activated)',
  'POST /api/security/hold(/lift)?',
  'POST /api/inception/(device|device-event|device-batch)',
  `POST /api/(pair|authorize)/offer/${ID}/join`,
  'POST /api/(pair/seal|authorize/grant)',
  'POST /1\\.0/register',
  `POST /1\\.0/org/${ID}/(bind|revoke)`,
  `POST /api/notes/${ID}(/batch)?`,
  `DELETE /api/notes/${ID}/${ID}`,
  `PUT /api/notes/${ID}/${ID}/attachments/${ID}`,
  'POST /api/anchors',
  'POST /api/assets/(mint|transfer)',
  'POST /api/ipfs/pin',
  'POST /api/activation/redeem',
  'POST /api/inbox/verify-otp',
  `POST /api/inbox/${ID}/${ID}/read`,
  `PUT /api/inbox/${ID}/settings`,
  `PUT /api/key-directory/${ID}/devices/${ID}`,
  `POST /api/key-directory/${ID}/devices/${ID}/(prekeys|revoke)`,
  'POST /api/epoch/(join|ack)',
  'POST /entitlement/redeem',
  'POST /quota/(consume|refund|delta)',
  'POST /api/register(/video)?',
  'POST /api/v1/consent',
  `(PUT|DELETE) /api/v1/consent/${ID}`,
]

/** Reads that need a body, or an assertion that is spent. */
const READS: readonly string[] = [
  'POST /api/v1/consent/batch',
  'POST /api/pqc/verify',
  'POST /api/headers/prepare',
  'POST /api/user/verify',
  'POST /api/verify(/batch|/with-key-status)?',
  'POST /api/query/text',
  'POST /api/search/(semantic|fragment|video|video/fragment)',
]

const REPEATABLE = /* @__PURE__ */ pure(() => new RegExp(`^(${[...WRITES, ...READS].join('|')})$`))

export function isRepeatable({ method, url, headers = {} }: Call): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key')
  return hasKey || REPEATABLE.test(`${method} ${new URL(url).pathname}`)
}
