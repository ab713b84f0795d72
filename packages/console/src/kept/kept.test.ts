import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TrustStore, VolatileStore } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { withFallback } from './database.ts'
import { keptTexts } from './web-storage.ts'

const SOURCE = join(import.meta.dirname, '..')
const blocked = () => new DOMException('The operation is insecure.', 'SecurityError')

describe('small values', () => {
  it('are those of the browser', () => {
    const there = new Map<string, string>()
    const texts = keptTexts(() => ({
      getItem: (key) => there.get(key) ?? null,
      setItem: (key, text) => void there.set(key, text),
      removeItem: (key) => void there.delete(key),
    }))
    texts.set('a', '1')
    expect([texts.get('a'), there.get('a'), texts.get('b')]).toEqual(['1', '1', null])
    texts.delete('a')
    expect([texts.get('a'), there.size]).toEqual([null, 0])
  })

  it('last as long as the page where the browser blocks storage', () => {
    const texts = keptTexts(() => {
      throw blocked()
    })
    expect(texts.get('a')).toBeNull()
    texts.set('a', '1')
    texts.set('a', '2')
    expect(texts.get('a')).toBe('2')
    texts.delete('a')
    expect(texts.get('a')).toBeNull()
  })

  it('last as long as the page where there is no room, and not an older one instead', () => {
    const texts = keptTexts(() => ({
      getItem: () => 'old',
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError')
      },
      removeItem: () => {},
    }))
    texts.set('a', 'new')
    expect(texts.get('a')).toBe('new')
  })
})

describe('a database', () => {
  const refusing = (error: unknown): TrustStore => {
    const refuse = () => Promise.reject(error)
    return { get: refuse, set: refuse, delete: refuse, keys: refuse, entries: refuse, exclusively: (_, work) => work() }
  }

  it.each([
    ['a SecurityError', blocked()],
    ['no indexedDB', new ReferenceError('indexedDB is not defined')],
    ['an indexedDB that is null', new TypeError("Cannot read properties of null (reading 'open')")],
  ])('lasts as long as the page with %s', async (_, error) => {
    const database = withFallback(refusing(error), new VolatileStore())
    expect(await database.get('a')).toBeUndefined()
    await database.set('a', { of: 1 })
    expect(await database.get('a')).toEqual({ of: 1 })
    expect(await database.keys()).toEqual(['a'])
    expect(await database.entries('')).toEqual([['a', { of: 1 }]])
    expect(await database.exclusively('turn', async () => 'done')).toBe('done')
    await database.delete('a')
    expect(await database.keys()).toEqual([])
  })

  it('does not hide what else goes wrong', async () => {
    const database = withFallback(refusing(new Error('damaged')), new VolatileStore())
    await expect(database.get('a')).rejects.toThrow('damaged')
  })
})

it('nothing in the console reaches for storage past these', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: SOURCE }).filter((file) => !/\.test\.tsx?$/.test(file))
  const own = ['kept/web-storage.ts', 'kept/database.ts', 'kept/answers.ts', 'offline/worker.ts']
  // Keys must not be lost with the page: where they cannot be kept, that is said.
  const keys = ['keys/device-keys.ts', 'keys/kept-device.ts', 'keys/root-keys.ts']
  const reaching = files.filter((file) =>
    /\b(?:localStorage|sessionStorage|indexedDB\.|caches\.|new IndexedDb)/.test(
      readFileSync(join(SOURCE, file), 'utf8'),
    ),
  )
  expect(reaching.filter((file) => !own.includes(file) && !keys.includes(file))).toEqual([])
})
