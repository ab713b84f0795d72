import type * as z from 'zod'
import { encodeBase64url } from '#protocol/base/base64url'
import {
  type ConsentMessage,
  type ConsentRecord,
  consentRecordSchema,
  consentSignedBytes,
  type Preferences,
} from '#protocol/consent/consent'
import { envelopeOf } from '#protocol/http/envelope'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { signerOf } from '../identity/signing-key.ts'
import type { Call } from '../transport/call.ts'
import { readAnyJson } from '../transport/guarded-body.ts'
import type { Transport } from '../transport/transport.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { unverified } from '../verification/verification-error.ts'
import { checkRecord } from './record-check.ts'

interface Parts {
  readonly transport: Transport
  readonly keys: KeyHistory
  readonly owner: Identity | Device | undefined
}

/** Signs what a creator declares, and sends it. */
export class Declaring {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Who declares. Throws a TypeError without an identity. */
  get creator(): { readonly did: string; readonly key: string } {
    const { did, key } = this.#owner
    return { did, key }
  }

  /** Declares preferences, and verifies the record that the service made of them. */
  async declare(
    method: 'POST' | 'PUT',
    url: string,
    { hash, preferences }: { readonly hash: string; readonly preferences: Preferences },
    body: object,
  ): Promise<ConsentRecord> {
    const { did } = this.#owner
    const message = { content_hash: hash, preferences, creator_did: did }
    const { data } = await this.send(method, url, message, body, envelopeOf(consentRecordSchema))
    if (data.content_hash !== hash || data.creator_did !== did)
      throw unverified('consent', 'different_answer', 'Consent answered for a different record', { evidence: data })
    await checkRecord(data, this.#parts.keys)
    return data
  }

  /** Signed once: however often the request is sent, it counts once. */
  async send<S extends z.ZodType>(
    method: Call['method'],
    url: string,
    message: ConsentMessage,
    body: object,
    schema: S,
  ): Promise<z.output<S>> {
    const signature = encodeBase64url(await this.#owner.sign(consentSignedBytes(message)))
    const call = { method, url, body, headers: { 'x-svc-signature': signature } }
    const { transport } = this.#parts
    return readAnswer(schema, await readAnyJson(await transport.send(call)))
  }

  get #owner(): {
    readonly did: string
    readonly key: string
    readonly sign: (message: Uint8Array) => Promise<Uint8Array>
  } {
    const { owner } = this.#parts
    if (!owner) throw new TypeError('This client has no identity: pass `identity` or `device`')
    const key = owner instanceof Identity ? owner.publicKeyB64u : owner.devicePublicKeyB64u
    return { did: owner.did, key, sign: signerOf(owner, 'consent') }
  }
}
