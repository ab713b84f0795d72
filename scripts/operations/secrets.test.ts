import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { INTERNAL, INVITES, kindOf, previousOf, SecretsFile } from './secrets.ts'

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

  it.each([
    [INTERNAL, /^[A-Za-z0-9_-]{43}$/],
    [INVITES, /^[0-9a-f]{64}$/],
  ] as const)('keeps the current %s beside the new one until the change is finished', (name, form) => {
    const secrets = SecretsFile.read(path)
    expect(() => secrets.change(name)).toThrow(`has no ${name} to change`)
    secrets.make(name)
    const first = secrets.get(name)
    const previous = previousOf(name)
    secrets.change(name)
    const second = secrets.get(name)
    expect(second).toMatch(form)
    expect([second === first, secrets.get(previous)]).toEqual([false, first])
    secrets.change(name)
    expect([secrets.get(name), secrets.get(previous)]).toEqual([second, first])
    secrets.forget(previous)
    expect(SecretsFile.read(path).has(previous)).toBe(false)
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
  expect(['STRIPE_SECRET_KEY', 'TURNSTILE_SECRET', 'GOOGLE_CLIENT_SECRET', previousOf(INTERNAL)].map(kindOf)).toEqual(
    Array.from({ length: 4 }, () => 'given'),
  )
})
