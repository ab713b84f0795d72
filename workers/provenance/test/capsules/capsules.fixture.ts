import type { RegisterCapsule } from '@svc/protocol/provenance/capsules'
import { type Exchange, Prober } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { service } from '../../src/app.ts'
import { BASE, send, sendWith } from '../harness.ts'

export const IMAGE = { kind: 'image', mime: 'image/png', width: 2, height: 1 } as const
export const VIDEO = { kind: 'video', mime: 'video/mp4', durationMs: 1500 } as const

/** A file that nobody else in this run has. */
export const freshFile = () => crypto.getRandomValues(new Uint8Array(40))

export const signed = (by: Pick<TestCaller, 'client'>, file = freshFile()) => by.client.provenance.sign(file, IMAGE)

/** One registration with a good assertion of the caller, held to what the service declares. */
export async function register(
  by: Pick<TestCaller, 'assertion'>,
  body: unknown,
  { replaced, path = '/api/register' }: { replaced?: object; path?: string } = {},
): Promise<Exchange> {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  const headers = { authorization: await by.assertion('provenance') }
  return prober.send({ method: 'POST', path, headers, body: JSON.stringify(body) })
}

export function get(path: string, replaced?: object): Promise<Exchange> {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  return prober.send({ method: 'GET', path })
}

/** Units of the meter `capsule`: used and held. */
export async function units({ client }: Pick<TestCaller, 'client'>): Promise<{ used: number; reserved: number }> {
  const found = (await client.quota.meters()).find(({ kind }) => kind === 'capsule')
  if (!found) throw new Error('no meter')
  return { used: found.used, reserved: found.reserved }
}

/** A capsule changed after it was signed. */
export function changed(signedCapsule: Pick<RegisterCapsule, 'capsule' | 'signature'>, members: object) {
  return { ...signedCapsule, capsule: { ...signedCapsule.capsule, ...members } }
}
