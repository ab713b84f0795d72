import { encodeBase64url } from '#protocol/base/base64url'
import { hashHexAsync } from '#protocol/base/hash'
import { userIdOfKey } from '#protocol/base/identity'
import type { KnownInception } from '#protocol/base/inception-head'
import { signStatement } from '#protocol/base/statement'
import { type Message, messageFormFault, type SignedMessage } from '#protocol/statements/message'
import { signerOf } from './signing-key.ts'

/** What an application has signed. */
export interface NewMessage {
  /** The deployment whose identity signs: `client.realm`. */
  readonly realm: string
  /** Who it is for, 1 to 256 visible ASCII characters: `login.example.com`. */
  readonly audience: string
  /** Text is signed as it is, at most 65,536 characters; bytes are signed by their SHA3-384. */
  readonly content: string | Uint8Array
  /** Epoch milliseconds; default: the runtime's clock. */
  readonly now?: number
  /** 16 to 64 characters of base64url; by default a random one. */
  readonly nonce?: string
  /** The newest event of its inception log that the signer knows, `await client.devices.known()`; default: none. */
  readonly inception?: KnownInception
}

/** Signs a message with the key of an identity or a device. Throws a TypeError that names a member which is not of the form. */
export async function messageBy(
  owner: object,
  { did, publicKeyB64u }: { readonly did: string; readonly publicKeyB64u: string },
  { realm, audience, content, now = Date.now(), nonce, inception = null }: NewMessage,
): Promise<SignedMessage> {
  const isText = typeof content === 'string'
  const statement: Message = {
    type: 'svc/message/v1',
    realm,
    did,
    keyId: userIdOfKey(publicKeyB64u),
    audience,
    text: isText ? content : null,
    hash: isText ? null : await hashHexAsync(content),
    nonce: nonce ?? encodeBase64url(crypto.getRandomValues(new Uint8Array(18))),
    inception,
    issuedAt: now,
  }
  const fault = messageFormFault(statement)
  if (fault !== null) throw new TypeError(fault)
  return { ...(await signStatement(statement, signerOf(owner))), publicKeyB64u }
}
