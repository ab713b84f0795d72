import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { INTERNAL, kindOf, PREVIOUS, SecretsFile } from './secrets.ts'

let path: string
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'svc-secrets-')), 'staging.json')
})
afterEach(() => rmSync(join(path, '..'), { recursive: true }))

describe('the file of secrets', () => {
  it('generates each once, in the form that its Worker expects', () => {
    const secrets = SecretsFile.read(path)
    for (const name of [INTERNAL, 'RECEIPT_SEED']) secrets.make(name)
    const made = readFileSync(path, 'utf8')
    for (const name of [INTERNAL, 'RECEIPT_SEED']) secrets.make(name)
    expect(readFileSync(path, 'utf8')).toBe(made)
    expect(secrets.get(INTERNAL)).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(secrets.get('RECEIPT_SEED')).toMatch(/^[0-9a-f]{64}$/)
  })

  it('keeps the current secret beside the new one until the change is finished', () => {
    const secrets = SecretsFile.read(path)
    secrets.make(INTERNAL)
    const first = secrets.get(INTERNAL)
    secrets.changeInternal()
    const second = secrets.get(INTERNAL)
    expect([second === first, secrets.get(PREVIOUS)]).toEqual([false, first])
    secrets.changeInternal()
    expect([secrets.get(INTERNAL), secrets.get(PREVIOUS)]).toEqual([second, first])
    secrets.forget(PREVIOUS)
    expect(SecretsFile.read(path).has(PREVIOUS)).toBe(false)
  })

  it('is refused if others can read it, or if it is not a secrets file', () => {
    writeFileSync(path, '{}', { mode: 0o644 })
    chmodSync(path, 0o644)
    expect(() => SecretsFile.read(path)).toThrow('can be read by others')
    chmodSync(path, 0o600)
    for (const text of ['canary', '["canary"', '{"A_SEED": 5}', '{"A_SEED": ""}']) {
      writeFileSync(path, text)
      expect(() => SecretsFile.read(path)).toThrow(`${path} is not a JSON object of strings.`)
    }
  })
})

it('generates no secret that a third party issues', () => {
  expect(['STRIPE_SECRET_KEY', 'TURNSTILE_SECRET', 'GOOGLE_CLIENT_SECRET', PREVIOUS].map(kindOf)).toEqual(
    Array.from({ length: 4 }, () => 'given'),
  )
})
