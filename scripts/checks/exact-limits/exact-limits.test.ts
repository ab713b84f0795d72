import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Operation, readApi, type Schema } from '@svc/platform/documented-api'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { BOUNDS, BOUNDS_OF_THINGS, type Proof } from './counted.ts'

interface Window {
  readonly counter: string
  readonly protects: string
}
interface RateLimit {
  readonly routeCounter?: string
  readonly routeProtects?: string
  readonly routeWindow?: Window
  readonly callerWindow?: Window
  readonly handlerWindows?: readonly Window[]
  readonly callerTiers?: Window
}

/** What a code or a token is called in bodies and parameters. */
const SECRETS = ['code', 'grant', 'state', 'ticket', 'token']
const NEED_EXACTNESS = ['guess', 'mail', 'money']
const { operations, resolve } = readApi()
const idOf = ({ documented }: Operation) => documented.operationId
const rateOf = ({ documented }: Operation) => documented['x-rate-limit'] as RateLimit
const windowsOf = (operation: Operation): Window[] => {
  const { routeWindow, callerWindow, handlerWindows = [] } = rateOf(operation)
  return [routeWindow, callerWindow, ...handlerWindows].filter((window) => window !== undefined)
}

/** Names of the members of a JSON body, whatever the alternatives of its schema. */
function membersOf(operation: Operation): Set<string> {
  const walk = (schema: Schema): string[] => {
    const {
      properties = {},
      anyOf = [],
      oneOf = [],
      allOf = [],
    } = resolve(operation.service, schema) as {
      properties?: object
      anyOf?: Schema[]
      oneOf?: Schema[]
      allOf?: Schema[]
    }
    return [...Object.keys(properties), ...[...anyOf, ...oneOf, ...allOf].flatMap(walk)]
  }
  const { schema } = operation.documented.requestBody?.content['application/json'] ?? {}
  return new Set(schema ? walk(schema) : [])
}

/** Whether its caller could be guessing, paying or having mail sent: then it needs a line in `BOUNDS`. */
function needsBound(operation: Operation): boolean {
  const { service, method, documented } = operation
  const { security = [], parameters = [] } = documented
  const schemes = security.flatMap((alternative) => Object.keys(alternative))
  const members = membersOf(operation)
  const isWrite = method !== 'GET' && method !== 'HEAD'
  const isSigned = schemes.includes('SvcSignature') || members.has('signatureB64u')
  const showsAssertion = security.length > 0 && security.every((one) => Object.keys(one).includes('ServiceAssertion'))
  const takesToken = schemes.some((name) => name !== 'ServiceAssertion' && name !== 'SvcSignature')
  const takesSecret = [...members, ...parameters.map(({ name }) => name)].some((name) => SECRETS.includes(name))
  const pays = service === 'pay' && isWrite
  return takesToken || takesSecret || (pays && !isSigned) || (isWrite && !isSigned && !showsAssertion)
}

const hasTest = ({ file, test }: Proof) => readFileSync(join(ROOT, file), 'utf8').includes(`'${test}'`)

describe('what protects a guess, money or mail', () => {
  it('is never what the network counts per location', () => {
    const local = operations.flatMap((operation) => {
      const { routeCounter, routeProtects, callerTiers } = rateOf(operation)
      return [...(routeCounter ? [String(routeProtects)] : []), ...(callerTiers ? [callerTiers.protects] : [])]
    })
    expect(local.length).toBeGreaterThan(30)
    expect(new Set(local)).toEqual(new Set(['storage', 'work']))
  })

  it('has a bound for every request that could carry it', () => {
    const needed = operations.filter(needsBound).map(idOf)
    expect(needed.length).toBeGreaterThan(40)
    expect(Object.keys(BOUNDS).toSorted()).toEqual([...new Set(needed)].toSorted())
  })

  it('is counted by the windows that the bounds name, and by no others', () => {
    const exact = operations.flatMap((operation) => {
      const counters = windowsOf(operation).filter(({ protects }) => NEED_EXACTNESS.includes(protects))
      return counters.map(({ counter }) => `${idOf(operation)} ${counter}`)
    })
    const named = Object.entries(BOUNDS).flatMap(([id, bound]) =>
      'counters' in bound ? bound.counters.map((counter) => `${id} ${counter}`) : [],
    )
    expect(named.toSorted()).toEqual(exact.toSorted())
  })

  it('has a test for each bound of an object', () => {
    const proofs = [
      ...Object.values(BOUNDS).flatMap((bound) => ('proof' in bound ? [bound.proof] : [])),
      ...Object.values(BOUNDS_OF_THINGS),
    ]
    expect(proofs.filter((proof) => !hasTest(proof))).toEqual([])
  })
})

describe('the counters in the code', () => {
  const sources = globSync('workers/*/src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

  it('are all declared by an operation', () => {
    const declared = new Set(
      operations.flatMap((operation) => [
        ...windowsOf(operation).map(({ counter }) => counter),
        rateOf(operation).routeCounter,
        rateOf(operation).callerTiers?.counter,
      ]),
    )
    const written = sources.flatMap((file) =>
      [...textOf(file).matchAll(/\bcounter: '([\w-]+)'/g)].map(([, counter = '']) => counter),
    )
    expect(written.length).toBeGreaterThan(25)
    expect([...new Set(written)].filter((counter) => !declared.has(counter))).toEqual([])
  })

  it('of the network are reached by what an operation declares alone', () => {
    const direct = sources.filter((file) =>
      /\bLIMIT_\d|\blimiterOf\b|\bRateLimitBinding\b|\.limiter\b/.test(textOf(file)),
    )
    expect(direct.filter((file) => !/^workers\/\w+\/src\/(services|env)\.ts$/.test(file))).toEqual([])
  })
})
