import { expect, it } from 'vitest'
import { faultOfResult } from './documented-results.ts'

const json = (words: string, value: unknown) => faultOfResult(`${words} --json`.split(' '), JSON.stringify(value))

it('holds a result to the schema of svc', () => {
  expect(json('asset displaced ASSET', {})).toContain('svc asset displaced')
  expect(json('inbox delete MESSAGE', { msgId: 'a' })).toBeNull()
  expect(json('inbox delete MESSAGE', { msgId: 1 })).toBe('svc inbox delete: data/msgId must be string')
  expect(json('inbox delete MESSAGE', { msgId: 'a', more: 1 })).toContain('must NOT have additional properties')
})

it('holds a result of a service to the schema in its openapi.json', () => {
  expect(json('rotate hold', { held: true, placedAt: 1_790_000_000_000 })).toBeNull()
  expect(json('rotate hold', { held: 'yes', placedAt: null })).toBe('svc rotate hold: data/held must be boolean')
  expect(json('consent get URL', { found: 'no' })).toContain('svc consent get: ')
})

it('holds a part of a result to the schema that it refers to', () => {
  expect(json('content list', { pins: [] })).toBeNull()
  expect(json('content list', { pins: [{ cid: 7 }] })).toMatch(/^svc content list: data\/pins\/0/)
})

it('lets members be missing in a rehearsal, and no member be wrong', () => {
  expect(json('content pin CID --dry-run', { dryRun: true })).toBeNull()
  expect(json('content pin CID --dry-run', { dryRun: true, bytes: 'many' })).toContain('svc content pin --dry-run: ')
  expect(json('inbox delete MESSAGE --dry-run', { dryRun: false })).toContain('must be equal to constant')
})

it('has nothing to say without --json, or of other words', () => {
  expect(faultOfResult(['inbox', 'delete', 'MESSAGE'], '{}')).toBeNull()
  expect(json('--version', '0.1.0')).toBeNull()
})
