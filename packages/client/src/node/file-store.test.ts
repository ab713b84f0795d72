import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileStore } from './file-store.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-file-store-'))
  path = join(folder, 'own', 'trust.json')
})
afterEach(() => rm(folder, { recursive: true }))

describe('a store in a file', () => {
  it.each(['', 'not JSON', '[["a",', 'null', '{}', '[1]', '["ab"]', '[[1,2]]', '[["a"]]'])(
    'says that a file with %j in it is another one',
    async (content) => {
      const store = new FileStore(join(folder, 'other.json'))
      await writeFile(join(folder, 'other.json'), content)
      const malformed = { name: 'VerificationError', subject: 'memory', reason: 'malformed' }
      await expect(store.get('a')).rejects.toMatchObject(malformed)
      await expect(store.set('a', 1)).rejects.toMatchObject(malformed)
      expect(await readFile(join(folder, 'other.json'), 'utf8')).toBe(content)
    },
  )

  it('keeps values and their order for the next program, readable by its user only', async () => {
    const store = new FileStore(path)
    expect([await store.get('a'), await store.keys()]).toEqual([undefined, []])
    await store.set('a', { one: 1 })
    await store.set('b', [2])
    await store.set('a', { one: 'again' })
    await store.set('c', 3)
    await store.delete('c')
    const later = new FileStore(path)
    expect([await later.get('a'), await later.get('b'), await later.get('c')]).toEqual([
      { one: 'again' },
      [2],
      undefined,
    ])
    expect(await later.keys()).toEqual(['b', 'a'])
    await store.set('ab', 4)
    expect(new Map(await later.entries('a'))).toEqual(
      new Map<string, unknown>([
        ['a', { one: 'again' }],
        ['ab', 4],
      ]),
    )
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'own'))).toEqual(['trust.json'])
  })

  it('loses no change of twenty at a time', async () => {
    const stores = [new FileStore(path), new FileStore(path)]
    await Promise.all(Array.from({ length: 20 }, (_, i) => stores[i % 2]!.set(`key ${i}`, i)))
    expect((await stores[0]!.keys()).length).toBe(20)
  })

  it('lets one work run at a time under a name, across programs', async () => {
    const store = new FileStore(path)
    const program = `
      import { FileStore } from ${JSON.stringify(join(import.meta.dirname, 'file-store.ts'))}
      const store = new FileStore(${JSON.stringify(path)})
      for (let i = 0; i < 10; i++)
        await store.exclusively('count', async () => store.set('count', ((await store.get('count')) ?? 0) + 1))`
    const file = join(folder, 'program.mjs')
    await writeFile(file, program)
    const run = promisify(execFile)
    await Promise.all([run(process.execPath, [file]), run(process.execPath, [file])])
    expect(await store.get('count')).toBe(20)
  }, 60_000)

  it('takes over the lock of a program that ended', async () => {
    const store = new FileStore(path)
    const first = store.exclusively('work', async () => {
      const [name = ''] = (await readdir(join(folder, 'own'))).filter((one) => one.endsWith('.lock'))
      return name
    })
    const lock = join(folder, 'own', await first)
    await writeFile(lock, '')
    const past = new Date(Date.now() - 60_000)
    await utimes(lock, past, past)
    expect(await store.exclusively('work', async () => 'mine')).toBe('mine')
    await expect(stat(lock)).rejects.toThrow('ENOENT')
  })

  it('frees the lock after work that failed', async () => {
    const store = new FileStore(path)
    await expect(store.exclusively('work', () => Promise.reject(new RangeError('no')))).rejects.toThrow('no')
    expect(await store.exclusively('work', async () => 'next')).toBe('next')
  })

  it('names a file that is damaged', async () => {
    await new FileStore(path).set('a', 1)
    await writeFile(path, '[["a"')
    await expect(new FileStore(path).get('a')).rejects.toThrow(path)
    expect(await readFile(path, 'utf8')).toBe('[["a"')
  })
})
