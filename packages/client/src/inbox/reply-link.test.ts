import { encodeBase64url } from '@svc/protocol/base/base64url'
import { expect, it } from 'vitest'
import { newReplyKey } from './reply.ts'
import { replyKeyOf, replyLinkOf } from './reply-link.ts'

const key = await newReplyKey({
  requestId: encodeBase64url(new Uint8Array(60).fill(7)),
  assetId: `asset:sha3-384:${'a7'.repeat(48)}`,
  owner: `did:svc:${'PDw8'.repeat(8)}`,
})
const link = replyLinkOf(key, 'https://console.example/reply?lang=de#old')
const fragment = link.slice(link.indexOf('#'))

it('carries the whole key in the fragment, and nothing of it in what a server is sent', async () => {
  expect(link.startsWith('https://console.example/reply?lang=de#v1.')).toBe(true)
  expect(fragment.length).toBeLessThan(320)
  for (const one of [link, fragment, fragment.slice(1), ` ${link}\n`]) expect(await replyKeyOf(one)).toEqual(key)
})

it.each([
  ['cut', fragment.slice(0, -1)],
  ['without its seed', fragment.slice(0, fragment.lastIndexOf('.'))],
  ['with more behind it', `${fragment}.more`],
  ['of another version', fragment.replace('v1', 'v2')],
  ['with another asset', fragment.replace('a7a7', 'A7A7')],
  ['with half an owner', fragment.replace('.PDw8', '.')],
  ['of a page alone', 'https://console.example/reply'],
  ['that is empty', ''],
])('is not read from a link %s', async (_, text) => {
  expect(await replyKeyOf(text)).toBeNull()
})
