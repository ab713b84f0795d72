import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as opaque from '@serenity-kit/opaque'
import { RistrettoGroup } from '../../../workers/auth/src/opaque/group.ts'
import { OpaqueServer } from '../../../workers/auth/src/opaque/rules.ts'
import { median } from '../figures/load.ts'
import { keyStretching, PASSWORD } from './logins.ts'
import { Peer } from './peer.ts'
import { ratioOf } from './rounds.ts'

/** The server's part of the first message of a login, in two processes of the same Node.js. */
export async function opaqueCores(programs: string, rounds: number, count: number) {
  const serenity = await Peer.start(programs, 'opaque')
  try {
    await serenity.call('start')
    const own = ownCore()
    const times = { theirs: [] as number[], ours: [] as number[] }
    for (let round = 0; round <= rounds; round++) {
      const theirs = await serenity.call<number>('logIn', { count })
      const ours = own(count)
      if (round === 0) continue // Warm-up.
      times.theirs.push(theirs / count)
      times.ours.push(ours / count)
    }
    const ratio = ratioOf(times.ours.map((ms, i) => ms / (times.theirs[i] ?? Number.NaN)))
    return { theirs: median(times.theirs), ours: median(times.ours), ratio }
  } finally {
    serenity.stop()
  }
}

function ownCore(): (count: number) => number {
  const assembled = readFileSync(new URL('../../../workers/auth/src/opaque/ristretto.wasm', import.meta.url))
  const server = new OpaqueServer(new RistrettoGroup(new WebAssembly.Module(assembled)))
  const keys = server.deriveKeys(randomBytes(32))
  const identifier = randomBytes(32)
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
  const begun = opaque.client.startRegistration({ password: PASSWORD })
  const response = server.registrationResponse(keys, identifier, bytes(begun.registrationRequest))
  if (!response.ok) throw new Error(response.error.reason)
  const { registrationRecord } = opaque.client.finishRegistration({
    password: PASSWORD,
    registrationResponse: Buffer.from(response.value).toString('base64url'),
    clientRegistrationState: begun.clientRegistrationState,
    keyStretching,
  })
  const record = server.parseRecord(bytes(registrationRecord))
  if (!record.ok) throw new Error(record.error.reason)
  return (count) => {
    const logins = Array.from({ length: count }, () =>
      bytes(opaque.client.startLogin({ password: PASSWORD }).startLoginRequest),
    )
    const startedAt = performance.now()
    for (const ke1 of logins) {
      const chance = { maskingNonce: randomBytes(32), serverNonce: randomBytes(32), keyshareSeed: randomBytes(32) }
      const answer = server.answerLogin(keys, identifier, record.value, ke1, chance, { context: new Uint8Array() })
      if (!answer.ok) throw new Error(answer.error.reason)
    }
    return performance.now() - startedAt
  }
}
