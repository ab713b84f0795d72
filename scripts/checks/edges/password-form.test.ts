import { scryptSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { secretOf } from '@svc/client/text'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'

interface PasswordForm {
  readonly typed: readonly string[]
  readonly utf8Hex: string
  readonly scrypt: {
    readonly N: number
    readonly r: number
    readonly p: number
    readonly saltHex: string
    readonly keyHex: string
  }
}

const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/auth.md'), 'utf8')
const [, example = ''] = /```json example=password-form\n([\s\S]*?)```/.exec(page) ?? []

it('every form of the password on the page gives its bytes, and they give the derived key', () => {
  const { typed, utf8Hex, scrypt } = JSON.parse(example) as PasswordForm
  expect(new Set(typed).size).toBe(3)
  for (const one of typed) {
    const secret = Buffer.from(secretOf(one))
    expect(secret.toString('hex')).toBe(utf8Hex)
    const { saltHex, keyHex, ...cost } = scrypt
    const key = scryptSync(secret, Buffer.from(saltHex, 'hex'), 32, { ...cost, maxmem: 2 ** 28 })
    expect(key.toString('hex')).toBe(keyHex)
  }
}, 60_000)
