import { describe, expect, it } from 'vitest'
import { previousFacts } from '../previous-release.ts'
import { contractFaults } from './contract-faults.ts'
import { type Contract, contractOf } from './rpc-contract.ts'

const OWNER = 'provenance/OpenNoncesObject'
const before: Contract = {
  methods: { [OWNER]: { spend: '(names: Uint8Array, max: number): Promise<boolean[] | null>' } },
  types: { Limits: { rows: 'rows: number' }, State: "type State = 'open' | 'closed'" },
}
const withMethods = (methods: Contract['methods'][string]): Contract => ({ ...before, methods: { [OWNER]: methods } })
const withTypes = (types: Contract['types']): Contract => ({ ...before, types: { ...before.types, ...types } })

it('has everything that the previous release calls, with the same parameters and results', () => {
  expect(contractFaults(previousFacts().contract, contractOf())).toEqual([])
})

it('lists the entrypoints and the objects of all Workers', () => {
  const { methods, types } = contractOf()
  expect(Object.keys(methods)).toEqual(
    expect.arrayContaining(['core/CoreInternal', 'core/IdentityObject', 'keys/KeysInternal', 'pay/PayInternal', OWNER]),
  )
  expect(methods['pay/PayInternal']).toEqual({
    issue: '(code: IssuedCode, requestId?: string): Promise<true>',
    redeem: '(did: string, codeHash: string, requestId?: string): Promise<Standing | null>',
    standing: '(did: string, requestId?: string): Promise<Standing>',
  })
  expect(Object.keys(types).length).toBeGreaterThan(100)
})

describe('a release may', () => {
  it.each([
    ['add a method', withMethods({ ...before.methods[OWNER], forget: '(name: string): void' })],
    [
      'add an optional parameter at the end',
      withMethods({ spend: '(names: Uint8Array, max: number, at?: number): Promise<boolean[] | null>' }),
    ],
    ['add an optional member', withTypes({ Limits: { rows: 'rows: number', bytes: 'bytes?: number' } })],
    ['name another type', withTypes({ Other: { name: 'name: string' } })],
  ])('%s', (_, next) => {
    expect(contractFaults(before, next)).toEqual([])
  })
})

describe('a release may not', () => {
  it.each([
    ['remove a method', withMethods({}), `${OWNER}.spend is gone`],
    // As commit bab9b444 did: the object would have taken text for bytes.
    [
      'change a parameter',
      withMethods({ spend: '(names: readonly string[], max: number): Promise<boolean[] | null>' }),
      'was (names: Uint8Array, max: number)',
    ],
    [
      'add a parameter that is required',
      withMethods({ spend: '(names: Uint8Array, max: number, at: number): Promise<boolean[] | null>' }),
      `${OWNER}.spend was`,
    ],
    [
      'put a required parameter behind an optional one',
      withMethods({ spend: '(names: Uint8Array, max: number, at?: number, by: string): Promise<boolean[] | null>' }),
      `${OWNER}.spend was`,
    ],
    ['change a result', withMethods({ spend: '(names: Uint8Array, max: number): Promise<number>' }), 'Promise<number>'],
    ['remove a class', { ...before, methods: {} }, `${OWNER}.spend is gone`],
    ['remove a member', withTypes({ Limits: {} }), 'type Limits: rows is gone'],
    ['change a member', withTypes({ Limits: { rows: 'rows: string' } }), 'rows: number is now rows: string'],
    [
      'add a required member',
      withTypes({ Limits: { rows: 'rows: number', bytes: 'bytes: number' } }),
      'bytes is new and not optional',
    ],
    ['change a type', withTypes({ State: "type State = 'open'" }), 'type State: was'],
  ])('%s', (_, next, fault) => {
    expect(contractFaults(before, next)).toEqual([expect.stringContaining(fault)])
  })
})
