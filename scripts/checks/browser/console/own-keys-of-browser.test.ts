import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { Visit } from '../browser.fixture.ts'
import { follow, openConsole, press, says, titled } from '../console-page.fixture.ts'
import { createIdentity, pairWith } from './own-browsers.fixture.ts'

/** Enables ML-DSA-65 and ML-KEM-768 in WebCrypto in Chromium. X25519 needs no flag. */
const visit = await Visit.begin({ flags: ['--enable-features=WebCryptoPQC'] })
afterAll(() => visit.end())

interface KeptKey {
  readonly algorithm: string
  readonly type: string
  readonly extractable: boolean
  /** What exporting it answered. */
  readonly exported: string
}

/** Every key that is in the store of the device, also deep inside of what is kept. */
async function keptKeys(): Promise<KeptKey[]> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open('console-device')
    opening.addEventListener('success', () => resolve(opening.result))
    opening.addEventListener('error', () => reject(new Error('no database')))
  })
  const entries = await new Promise<unknown[]>((resolve) => {
    const reading = database.transaction('values').objectStore('values').getAll()
    reading.addEventListener('success', () => resolve(reading.result))
  })
  database.close()
  const keysIn = (value: unknown): CryptoKey[] => {
    if (value instanceof CryptoKey) return [value]
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(keysIn) : []
  }
  return Promise.all(
    keysIn(entries).map(async (key) => {
      const formats = ['raw-seed', 'pkcs8', 'jwk'] as unknown as 'pkcs8'[]
      const tried = await Promise.all(
        formats.map((format) =>
          crypto.subtle.exportKey(format, key).then(
            () => 'given',
            (error: Error) => error.name,
          ),
        ),
      )
      return { algorithm: key.algorithm.name, type: key.type, extractable: key.extractable, exported: tried.join(' ') }
    }),
  )
}

const WRITTEN = 'Written with the key of this browser.'

async function write(page: Page, title: string): Promise<void> {
  await follow(page, 'Notes')
  await titled(page, 'Notes')
  await press(page, 'New note')
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Text', { exact: true }).fill(WRITTEN)
  await press(page, 'Save')
  await says(page, 'Saved.')
}

it('a paired browser works with keys that nothing can take out of it, without unlocking them', async () => {
  const first = await openConsole(visit, '/')
  const second = await openConsole(visit, '/pair')
  await createIdentity(first.page)
  await pairWith(first.page, second.page)

  const secrets = (await second.page.evaluate(keptKeys)).filter(({ type }) => type === 'private')
  const kept = { type: 'private', extractable: false, exported: expect.not.stringContaining('given') as string }
  expect(secrets.toSorted((a, b) => a.algorithm.localeCompare(b.algorithm))).toEqual([
    { algorithm: 'ML-DSA-65', ...kept },
    { algorithm: 'ML-KEM-768', ...kept },
    { algorithm: 'X25519', ...kept },
  ])

  // After a reload the key is there, and signs and opens at once.
  await second.page.reload()
  await titled(second.page, 'Your identity')
  await write(second.page, 'From the second browser')
  await second.page.reload()
  await titled(second.page, 'From the second browser')
  expect(await second.page.getByLabel('Text', { exact: true }).inputValue()).toBe(WRITTEN)
  expect(second.complaints).toEqual([])
})

it('encrypts the keys of a browser that supports the algorithms but cannot store their keys', async () => {
  const first = await openConsole(visit, '/')
  const second = await openConsole(visit, '/pair')
  await second.page.addInitScript(() => {
    const clone = globalThis.structuredClone
    globalThis.structuredClone = (value) => (value instanceof CryptoKey ? null : clone(value))
  })
  await second.page.reload()
  await createIdentity(first.page)
  await pairWith(first.page, second.page)

  await write(second.page, 'From the second browser')
  expect(await second.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))).toContain(
    'console-device-sealed',
  )
  expect(second.complaints).toEqual([])
})
