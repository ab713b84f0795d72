import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { Client } from '../client.ts'
import { Identity } from '../identity/identity.ts'
import { ForkError } from '../memory/errors.ts'
import { VerificationError } from '../verification/verification-error.ts'

const [signing, kem] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)]
const identity = await Identity.fromSeeds({ signing, kem })
const send = vi.fn(() => Promise.reject(new TypeError('offline')))

function client(): Client {
  const [core, did, pay, keys, provenance, consent] = Array.from({ length: 6 }, () => 'https://core.test') as [
    string,
    string,
    ...string[],
  ]
  const headers = { authorization: 'Bearer of-a-gateway' }
  return new Client({
    core,
    did,
    pay,
    keys,
    provenance,
    consent,
    identity,
    headers,
    fetch: send,
    retries: false,
  } as never)
}

const text: (value: unknown) => string = String

/** What a logger could print of a client and its services. */
function printed(made: Client): string {
  const services = [made.chain, made.notes, made.devices, made.quota, made.keyDirectory, made.recovery({}), made.did]
  const errors = [made.memory, identity]
  return [made, ...services, ...errors]
    .flatMap((one) => [JSON.stringify({ one }), inspect(one, { depth: 9, showHidden: false }), text(one)])
    .join('\n')
}

describe('a client', () => {
  it('can be logged, with its services, and shows no secret', async () => {
    const rejections: unknown[] = []
    const note = (reason: unknown) => rejections.push(reason)
    process.on('unhandledRejection', note)
    const shown = printed(client())
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note)
    expect(rejections).toEqual([])
    expect(shown).toContain('verify: [Function: verify]')
    for (const seed of [signing, kem]) {
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(shown).not.toContain(Buffer.from(seed).toString(form))
      expect(shown).not.toContain([...seed.subarray(0, 8)].join(', '))
    }
    expect(shown).not.toContain('of-a-gateway')
    expect(send).not.toHaveBeenCalled()
  })

  it('has services that can be awaited, listed, asked and not cloned', async () => {
    const made = client()
    expect(await Promise.resolve(made.chain)).toBe(made.chain)
    expect('verify' in made.chain).toBe(true)
    expect('verfy' in made.chain).toBe(false)
    expect(Object.keys(made.security)).toEqual(['deactivate', 'hold', 'placeHold', 'liftHold'])
    expect(() => structuredClone(made)).toThrow(DOMException)
    expect(() => structuredClone(made.chain)).toThrow(DOMException)
  })

  it('takes a function of a test in the place of a method, and signs nothing', async () => {
    const made = client()
    const stub = vi.fn(async () => ({ index: '1' }))
    made.chain.append = stub as never
    vi.spyOn(made.notes, 'get').mockResolvedValue({ title: 'of a test' } as never)
    expect(await made.chain.append({})).toEqual({ index: '1' })
    expect(await made.notes.get('any')).toEqual({ title: 'of a test' })
    expect(stub).toHaveBeenCalledWith({})
    expect(send).not.toHaveBeenCalled()
  })
})

describe('an error with evidence', () => {
  it('shows its message, where and why, and keeps the evidence out of logs', () => {
    const evidence = { blocks: Array.from({ length: 500 }, () => 'evidence-'.repeat(20)) }
    const fault = { subject: 'chain', reason: 'wrong_index', where: { block: '3' }, evidence } as const
    const error = new VerificationError('Block 3 has another number', fault)
    const piece = { position: 1, hash: 'h', signed: evidence }
    const fork = new ForkError({ log: { kind: 'chain', of: 'did:svc:a' }, remembered: piece, received: piece })
    for (const one of [error, fork]) {
      expect(inspect(one)).toContain(one.message)
      expect(inspect(one)).toContain("reason: '")
      expect(inspect(one)).not.toContain('evidence-evidence')
      expect(JSON.stringify(one)).toContain('evidence-evidence')
    }
    expect(error.evidence).toBe(evidence)
    expect(fork.received).toBe(piece)
  })
})
