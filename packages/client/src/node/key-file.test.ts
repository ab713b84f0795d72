import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Identity } from '../identity/identity.ts'
import { KeyFile } from './key-file.ts'

const lock = { credentialIdB64u: 'Y3JlZA', prf: new Uint8Array(32).fill(9) }
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const bob = await Identity.create()

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-key-file-'))
  path = join(folder, 'own', 'alice.json')
})
afterEach(() => rm(folder, { recursive: true }))

describe('keys in a file', () => {
  it('are there for the next program, readable by their user only', async () => {
    await new KeyFile(path).save({ identity: alice }, lock)
    const keys = await new KeyFile(path).load(lock)
    expect(keys?.identity?.revealSeeds()).toEqual(alice.revealSeeds())
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'own'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(folder, 'own'))).toEqual(['alice.json'])
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      format: 'svc/identity-export/v1',
      did: alice.did,
    })
  })

  it('are not written with an empty passphrase', async () => {
    const refused = { name: 'ConfigurationError', option: 'passphrase' }
    await expect(new KeyFile(path).save({ identity: alice }, '')).rejects.toMatchObject(refused)
    expect(await readdir(folder)).toEqual([])
  })

  it('replace a file that others could read', async () => {
    const file = new KeyFile(path)
    await file.save({ identity: alice }, lock)
    await chmod(path, 0o644)
    await file.save({ identity: bob }, lock)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await file.load(lock))?.identity?.did).toBe(bob.did)
  })

  it('stay as they were if the new ones cannot be written', async () => {
    const file = new KeyFile(path)
    await file.save({ identity: alice }, lock)
    await expect(file.save({}, lock)).rejects.toMatchObject({ option: 'keys' })
    expect((await file.load(lock))?.identity?.did).toBe(alice.did)
    expect(await readdir(join(folder, 'own'))).toEqual(['alice.json'])
  })

  it('are null if there are none, and gone after `delete`', async () => {
    const file = new KeyFile(path)
    expect(await file.load(lock)).toBeNull()
    await file.save({ identity: alice }, lock)
    await file.delete()
    expect(await file.load(lock)).toBeNull()
  })

  it.each([
    ['not JSON', 'x'],
    ['no export', '{}'],
    ['too large', ' '.repeat(1024 * 1024 + 1)],
  ])('are refused if the file is %s', async (_, text) => {
    const other = join(folder, 'x.json')
    await writeFile(other, text)
    await expect(new KeyFile(other).load(lock)).rejects.toMatchObject({ name: 'KeyExportError', reason: 'malformed' })
  })
})
