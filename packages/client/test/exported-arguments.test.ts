import { beforeAll, describe, expect, it, vi } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import type { Parameter } from '../src/arguments/check.ts'
import { badCalls, SURPLUS } from './bad-calls.ts'

interface Check {
  readonly method: string
  readonly parameters: readonly Parameter[]
}

const { checks } = vi.hoisted(() => ({ checks: [] as Check[] }))

// As it is, and told of: what a function takes is written in it and nowhere else.
vi.mock(import('../src/arguments/check.ts'), async (load) => {
  const module = await load()
  const checkCall: typeof module.checkCall = (method, given, parameters) => {
    checks.push({ method, parameters })
    module.checkCall(method, given, parameters)
  }
  return { ...module, checkCall }
})

/** An application makes them by a static method: their constructors are private. */
const MADE_BY_STATICS = [
  'WatchToken',
  'ConsentSnapshot',
  'Device',
  'Identity',
  'Operator',
  'ProcessSigner',
  'SuccessorSheet',
]
/** Protected. */
const OWN = ['memory.checked']
/** Tested with the services, whose arguments are in a table. */
const BY_CLIENT = [
  'new Client',
  'Client.connect',
  'client.with',
  'client.createIdentity',
  'client.verifySignature',
  'client.prepareHeader',
]

type Call = (...args: unknown[]) => unknown

interface Callable {
  readonly title: string
  readonly call: Call
}

/** What an application can call of an export, as errors name it. */
function callablesOf(name: string, exported: Call): Callable[] {
  if (!isClass(exported)) return takesNothing(exported) ? [] : [{ title: name, call: exported }]
  // The SDK makes its errors, and so do the signers of an application.
  if (exported.prototype instanceof Error) return []
  const own = name.charAt(0).toLowerCase() + name.slice(1)
  const statics = methodsOf(exported).map(([key, call]) => ({ title: `${name}.${key}`, call }))
  // Without what the constructor makes: the check comes first.
  const empty: unknown = Object.create(exported.prototype as object)
  const methods = methodsOf(exported.prototype as object).map(([key, method]) => ({
    title: `${own}.${key}`,
    call: (...args: unknown[]) => Reflect.apply(method, empty, args),
  }))
  const construct = (...args: unknown[]) => Reflect.construct(exported, args) as unknown
  const isMade = MADE_BY_STATICS.includes(name) || !/\bconstructor\(\s*[^\s)]/.test(sourceOf(exported))
  const all = [...(isMade ? [] : [{ title: `new ${name}`, call: construct }]), ...statics, ...methods]
  return all.filter(({ title }) => !OWN.includes(title) && !BY_CLIENT.includes(title))
}

function methodsOf(owner: object): [string, Call][] {
  return Object.entries(Object.getOwnPropertyDescriptors(owner)).flatMap(([key, { value }]): [string, Call][] =>
    typeof value === 'function' && !isClass(value) && !takesNothing(value) ? [[key, value as Call]] : [],
  )
}

const sourceOf = (one: Call) => Function.prototype.toString.call(one)
const isClass = (one: Call) => sourceOf(one).startsWith('class')
const takesNothing = (one: Call) => /^[^(]*\(\s*\)/.test(sourceOf(one))

const send = vi.fn(() => Promise.reject(new TypeError('offline')))

/** What the call throws, and the checks on the way. */
async function refusal(call: () => unknown): Promise<{ readonly error: unknown; readonly made: readonly Check[] }> {
  checks.length = 0
  const error: unknown = await (async () => {
    const answer = call()
    if (isIterable(answer)) for await (const _ of answer) break
    return await answer
  })().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return { error, made: [...checks] }
}

function isIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer && !('then' in answer)
}

beforeAll(() => {
  vi.stubGlobal('fetch', send)
})

const entries = Object.entries(manifest.exports)
// Some were loaded before this file.
vi.resetModules()
const modules = await Promise.all(
  entries.map(
    async ([entry, path]): Promise<[string, object]> => [
      entry,
      (await import(/* @vite-ignore */ `../${path}`)) as object,
    ],
  ),
)

const callables = modules
  .map(([entry, module]): [string, Callable[]] => [
    entry,
    Object.entries(module).flatMap(([name, exported]) =>
      typeof exported === 'function' ? callablesOf(name, exported as Call) : [],
    ),
  ])
  .filter(([, found]) => found.length > 0)

describe.each(callables)('%s', (_, found) => {
  it.each(found)('$title refuses what it does not know', async ({ title, call }) => {
    const twin = title.replace(/\bsafe([A-Z])/, (__, first: string) => first.toLowerCase())
    const check = (await refusal(() => call())).made.find(({ method }) => method === twin)
    const bad = badCalls(check?.parameters ?? []).filter(({ what }) => what !== SURPLUS)
    expect(check, 'it checks its arguments').toBeDefined()
    for (const { what, args, argument } of bad) {
      send.mockClear()
      const { error } = await refusal(() => call(...args))
      expect(error, what).toMatchObject({ name: 'ArgumentError', method: twin, argument })
      expect(send).not.toHaveBeenCalled()
    }
  })
})
