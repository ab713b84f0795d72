import { describe, expect, it, vi } from 'vitest'
import type { Parameter } from '../src/arguments/check.ts'
import { METHODS } from '../src/arguments/methods.ts'
import { Client } from '../src/client.ts'
import { Device } from '../src/identity/device.ts'
import { Identity } from '../src/identity/identity.ts'
import { memoryKeyAgreement, memorySigner } from '../src/signers/memory-signer.ts'
import { badCalls, SURPLUS } from './bad-calls.ts'

const send = vi.fn(() => Promise.reject(new TypeError('offline')))
const sign = vi.fn(() => Promise.reject(new TypeError('signed')))

const seeds = { signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) }
const identity = await Identity.fromSigner(
  { ...(await memorySigner(seeds.signing)), sign },
  { keyAgreement: await memoryKeyAgreement(seeds.kem) },
)
const services = { core: 'https://a.test', did: 'https://a.test', pay: 'https://a.test', keys: 'https://a.test' }
const others = { provenance: 'https://a.test', consent: 'https://a.test' }
const client = new Client({ ...services, ...others, identity, fetch: send, retries: false })

type Loose = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>
const loose = client as unknown as Loose

/** What the call throws, and that nothing was signed or sent before. */
async function refusal(call: () => unknown): Promise<unknown> {
  send.mockClear()
  sign.mockClear()
  const error: unknown = await (async () => {
    const answer = call()
    if (isIterable(answer)) for await (const _ of answer) break
    return await answer
  })().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(send).not.toHaveBeenCalled()
  expect(sign).not.toHaveBeenCalled()
  return error
}

function isIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer && !('then' in answer)
}

describe('arguments that a call does not know', () => {
  it.each([
    ['chain.append', ['my text'], 'content', undefined],
    ['chain.append', [], 'content', undefined],
    ['chain.append', [{ paylod: new Uint8Array(1) }], 'content.paylod', 'payload'],
    ['notes.put', ['x'], 'text', undefined],
    ['notes.put', [{ title: 'x', text: 'y' }], 'text.text', undefined],
    ['notes.put', [{ title: 'x' }], 'text.body', undefined],
    ['quota.consume', ['video', { ammount: 3 }], 'options.ammount', 'amount'],
    ['quota.consume', [], 'kind', undefined],
    ['devices.attest', [{}, { capabilites: ['notes:read'] }], 'options.capabilites', 'capabilities'],
    ['pairing.approve', ['code', '123', { capabilites: [] }], 'options.capabilites', 'capabilities'],
    ['assets.mint', [{ medai: {} }], 'core.medai', 'media'],
    ['events.watch', [{ affter: 1 }], 'options.affter', 'after'],
    ['chain.head', [1], '0', undefined],
  ])('%s refuses %j by name, and signs nothing', async (method, args, argument, nearest) => {
    const [service = '', name = ''] = method.split('.')
    const error = await refusal(() => loose[service]?.[name]?.(...args))
    expect(error).toMatchObject({ name: 'ArgumentError', method, argument, nearest })
    expect((error as Error).message).toContain(method)
    if (nearest !== undefined) expect((error as Error).message).toContain(`Did you mean \`${nearest}\`?`)
  })
})

const owner = await Identity.fromSeeds(seeds)
const { kept } = await owner.prepareRecovery({ realm: services.core })
const recovery = client.recovery(kept) as unknown as Loose[string]
const placeOf = (service: string) => {
  if (service === 'recovery') return recovery
  return service === 'deployment' ? (client as unknown as Loose[string]) : loose[service]
}

describe.each(Object.entries(METHODS))('%s', (service, table) => {
  const entries: Readonly<Record<string, string | readonly Parameter[]>> = table as never
  const parametersOf = (entry: string | readonly Parameter[] = []): readonly Parameter[] =>
    typeof entry === 'string' ? parametersOf(entries[entry]) : entry
  const cases = Object.entries(entries).flatMap(([name, entry]) =>
    badCalls(parametersOf(entry)).map((bad) => ({ name, ...bad })),
  )
  // Of core itself, these are methods of the client. They have no more than their parameters to pass on.
  const own = service === 'deployment'
  const title = own ? 'client' : service

  it.each(cases.filter(({ what }) => !own || what !== SURPLUS))(
    '$name refuses $what',
    async ({ name, args, argument }) => {
      const error = await refusal(() => placeOf(service)?.[name]?.(...args))
      expect(error).toMatchObject({ name: 'ArgumentError', method: `${title}.${name}`, argument })
    },
  )
})

describe('options of a client and a device', () => {
  it('may be the addresses of all eight services, as they are printed', () => {
    const names = ['auth', 'consent', 'core', 'did', 'docs', 'keys', 'pay', 'provenance'] as const
    const urls = Object.fromEntries(names.map((name) => [name, `https://${name}.test`])) as Record<
      (typeof names)[number],
      string
    >
    const made = new Client({ ...urls, origin: 'https://app.test', identity, fetch: send, retries: false })
    expect(made.realm).toBe('https://core.test')
    expect(send).not.toHaveBeenCalled()
  })

  it.each([
    [
      'connect',
      () => Client.connect({ core: 'https://a.test', fetch: send, timeout: 5 } as never),
      'timeout',
      'timeoutMs',
    ],
    ['new Client', () => new Client({ ...services, identiy: identity } as never), 'identiy', 'identity'],
    ['with', () => client.with({ retry: false } as never), 'retry', 'retries'],
    ['retries', () => client.with({ retries: { attemps: 5 } as never }), 'attemps', 'attempts'],
    [
      'Device.create',
      () => Device.create({ origin: 'app:a', capabilites: [] } as never),
      'capabilites',
      'capabilities',
    ],
    [
      'a capability',
      () => Device.create({ origin: 'app:a', capabilities: ['notes:raed'] } as never),
      'notes:raed',
      'notes:read',
    ],
  ])('%s', async (_, call, wrong, nearest) => {
    const error = await refusal(call)
    expect(error).toMatchObject({ name: 'ArgumentError', nearest })
    expect((error as Error).message).toContain(`\`${wrong}\``)
  })
})
