import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSeed } from './seed-file.ts'

const SEED = 'a5'.repeat(32)

function file(content: string, mode = 0o600): string {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-seed-')), 'seed')
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

it('reads 64 hex characters, with or without a line end', () => {
  for (const content of [SEED, `${SEED}\n`]) expect(Buffer.from(readSeed(file(content))).toString('hex')).toBe(SEED)
})

it.each([0o640, 0o604, 0o620])('refuses a file that others can use, mode %o', (mode) => {
  expect(() => readSeed(file(SEED, mode))).toThrow(/Others can read .*chmod 600/)
})

it.each([
  ['too short', SEED.slice(2)],
  ['upper case', SEED.toUpperCase()],
  ['empty', ''],
  ['a path', '/canary'],
])('refuses what is %s, and shows none of it', (_, content) => {
  const path = file(content)
  expect(() => readSeed(path)).toThrow(`${path} must contain 64 lowercase hex characters.`)
})

it('says which file is missing', () => {
  expect(() => readSeed('/nowhere/seed')).toThrow('There is no file /nowhere/seed.')
})
