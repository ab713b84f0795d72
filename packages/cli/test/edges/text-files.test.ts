import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { newMachine } from '../svc.ts'

const machine = newMachine()
afterAll(() => machine.remove())

const TEXT = 'Grüße aus Köln: fünf Wörter genügen für einen Fingerabdruck'
const ENCODED = {
  utf8: Buffer.from(TEXT),
  marked: Buffer.from(`\ufeff${TEXT}`),
  utf16: Buffer.from(`\ufeff${TEXT}`, 'utf16le'),
  latin1: Buffer.from(TEXT, 'latin1'),
  picture: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
} as const
for (const [name, bytes] of Object.entries(ENCODED)) writeFileSync(join(machine.home, `${name}.txt`), bytes)

describe('a text', () => {
  it('has one asset id in every encoding that says what it is', async () => {
    const ids = await Promise.all(
      ['utf8', 'marked', 'utf16'].map(async (name) => {
        const { stdout } = await machine.svc(`text fingerprint ${name}.txt --json`)
        return (JSON.parse(stdout) as { readonly assetId: string }).assetId
      }),
    )
    expect(new Set(ids).size).toBe(1)
  })

  it.each([
    ['latin1', 'a text in an older encoding, such as Windows-1252'],
    ['picture', 'a PNG picture'],
  ])('that is not one is refused, and named: %s', async (name, seems) => {
    for (const command of ['text fingerprint', 'text register', 'text search', 'note write --file', 'consent batch']) {
      const { code, stdout, stderr } = await machine.svc(`${command} ${name}.txt`)
      expect([command, code, stdout]).toEqual([command, 2, ''])
      expect(stderr).toContain(`${name}.txt is not a text in UTF-8: it seems to be ${seems}. Next: save it as UTF-8`)
    }
  })

  it('of JSON is refused in the same way', async () => {
    const { code, stderr } = await machine.svc('id import latin1.txt --passphrase-fd 3', {
      descriptor: 'long enough here',
    })
    expect([code, stderr]).toEqual([2, expect.stringContaining('older encoding')])
  })

  it('at standard input too', async () => {
    const { code, stderr } = await machine.svc('text fingerprint -', { stdin: ENCODED.latin1 })
    expect([code, stderr]).toEqual([2, expect.stringContaining('Standard input is not a text in UTF-8')])
  })
})
