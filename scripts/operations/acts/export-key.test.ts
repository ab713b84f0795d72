import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importOperatorKey } from '@svc/client/operator'
import { mlDsa65 } from '@svc/pqc'
import { expect, it } from 'vitest'

const PASSPHRASE = 'correct horse battery staple'
const COMMAND = join(import.meta.dirname, '../commands/admin.ts')
const folder = mkdtempSync(join(tmpdir(), 'svc-export-key-'))
const seed = new Uint8Array(32).fill(9)
const seedFile = join(folder, 'seed')
writeFileSync(seedFile, Buffer.from(seed).toString('hex'), { mode: 0o600 })

const exportTo = (file: string, passphrase: string) =>
  spawnSync(process.execPath, [COMMAND, 'export-key', file, '--seed', seedFile], {
    input: `${passphrase}\n`,
    encoding: 'utf8',
  })

it('writes the key to a file that only its owner can read and the passphrase opens, and to no file that is there', async () => {
  const file = join(folder, 'operator.json')
  expect(exportTo(file, 'too short').status).toBe(2)
  const { status, stdout } = exportTo(file, PASSPHRASE)
  expect([status, stdout]).toEqual([0, `Wrote ${file}\n`])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const key = await importOperatorKey(JSON.parse(readFileSync(file, 'utf8')), PASSPHRASE)
  const message = new Uint8Array([1, 2, 3])
  expect(await mlDsa65.verify(await mlDsa65.publicKeyOf(seed), message, await key.sign(message))).toBe(true)
  expect(exportTo(file, PASSPHRASE).status).not.toBe(0)
})
