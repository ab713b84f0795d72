import { env } from 'cloudflare:workers'
import { fingerprintText, packVector, toTextQuery, toTextRegistration } from '@svc/fingerprint'
import type { TextMatches, TextRegistered } from '@svc/protocol/provenance/text-assets'
import { textIdOf } from '@svc/protocol/provenance/text-id'
import { type Exchange, Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { service } from '../../src/app.ts'
import { BASE, send, sendWith } from '../harness.ts'

export const REGISTER = '/api/register/text'
export const QUERY = '/api/query/text'

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
/** An id that nobody else in this run has. */
export const freshId = () => `text-${hexOf(crypto.getRandomValues(new Uint8Array(16)))}`

const WORDS = 'harbour lantern meadow copper violin thunder orchard glacier saddle pepper canyon marble whisper anchor'
/** A text of so many words that shares none with another seed’s. */
export function textOf(seed: string, words: number): string {
  const names = WORDS.split(' ')
  return Array.from({ length: words }, (_, i) => `${names[(i * 7 + i ** 2) % names.length]}${seed}${i}`).join(' ')
}

/** What the device sends of a text. */
export const registrationOf = (text: string, assetId = freshId()) => ({
  asset_id: assetId,
  ...toTextRegistration(fingerprintText(text)),
})
/** The same under the id that certifies itself, as the SDK sends it. */
export function certifiedOf(text: string): ReturnType<typeof registrationOf> {
  const sent = registrationOf(text)
  const chunks = sent.chunks.map(({ values, ...place }) => ({ ...place, packed: packVector(values) }))
  return { ...sent, asset_id: textIdOf(sent.word_count, chunks) }
}
export const queryOf = (text: string) => toTextQuery(fingerprintText(text))

export interface SendOptions {
  /** Bindings or variables that are replaced. */
  readonly replaced?: object
  readonly address?: string
}

/** One request, held to what the service declares. */
export async function post(
  path: string,
  body: unknown,
  by?: Pick<TestCaller, 'assertion'>,
  { replaced, address }: SendOptions = {},
): Promise<Exchange> {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  const headers = by ? { authorization: await by.assertion('provenance') } : {}
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  return prober.send({ method: 'POST', path, headers, body: sent, address })
}

export const register = (by: TestCaller, body: unknown, options?: SendOptions) => post(REGISTER, body, by, options)
export const registered = ({ status, body }: Exchange): TextRegistered => {
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`)
  return body as TextRegistered
}
export const query = (body: unknown, by?: TestCaller, options?: SendOptions) => post(QUERY, body, by, options)
export function matchesOf({ status, body }: Exchange): TextMatches {
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(body)}`)
  return (body as { data: TextMatches }).data
}

/** Units of the caller’s meter: used and held. */
export async function units(by: TestCaller): Promise<{ used: number; reserved: number }> {
  const meter = (await by.client.quota.meters()).find(({ kind }) => kind === 'capsule')
  return { used: meter?.used ?? 0, reserved: meter?.reserved ?? 0 }
}

export const rowOf = (assetId: string) =>
  env.DB.prepare('SELECT * FROM text_assets WHERE asset_id = ?').bind(assetId).first()
export const setsOf = (assetId: string) =>
  env.DB.prepare('SELECT * FROM vector_sets WHERE asset_id = ?').bind(assetId).all()
