/** What `svc` writes and reads as an identity, against a running platform. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newMachine, PASSPHRASE } from '../../../packages/cli/test/svc.ts'

const { core } = sharedPlatform().urls as { readonly core: string }
const machine = newMachine({ fetch: (url, init) => fetch(url, init), descriptor: PASSPHRASE })
afterAll(() => machine.remove())

/** Runs a command that must succeed, and returns its JSON. */
async function json<T>(words: string): Promise<T> {
  const { code, stdout, stderr } = await machine.svc(`${words} --json --yes --passphrase-fd 3`)
  expect(code, `svc ${words}: ${stderr}`).toBe(0)
  return JSON.parse(stdout) as T
}
const file = (name: string, content: string | Uint8Array) => writeFileSync(join(machine.home, name), content)

beforeAll(async () => {
  await json(`init --core ${core}`)
  await json('id new --local')
  await json('chain init')
}, 120_000)

it('writes and reads notes', async () => {
  file('recipe.txt', 'eggs and milk')
  const { noteId } = await json<{ noteId: string }>('note write --title Omelette --file recipe.txt')
  expect(await json('note list')).toMatchObject({ notes: [{ noteId, version: 1 }] })
  expect(await json(`note read ${noteId}`)).toMatchObject({ title: 'Omelette', body: 'eggs and milk' })
})

it('declares consent, and reads it as anybody', async () => {
  const identifier = `https://photos.example/${crypto.randomUUID()}.jpg`
  await json(`consent set ${identifier} --training disallow`)
  await json(`consent set ${identifier} --search allow`)
  const preferences = { ai_training: 'disallow', search: 'allow' }
  expect(await json(`consent get ${identifier}`)).toMatchObject({ preferences })
  expect(await json(`consent history ${identifier}`)).toHaveProperty('acts.length', 2)
})

it('registers a file, whose proof verifies with it and without a network', async () => {
  file('photo.jpg', crypto.getRandomValues(new Uint8Array(512)))
  await json('capsule sign photo.jpg --mime image/jpeg')
  expect(await json('verify photo.jpg')).toMatchObject({ kind: 'proof', verdict: 'valid' })
  expect(await json('verify photo.jpg.proof.json --file photo.jpg --offline')).toMatchObject({ verdict: 'valid' })
  file('other.jpg', 'another')
  expect((await machine.svc('verify photo.jpg.proof.json --file other.jpg --offline')).code).toBe(3)
  expect((await machine.svc('verify other.jpg')).code).toBe(4)
})

it('shows what is used and offered', async () => {
  const { meters } = await json<{ meters: { kind: string; used: number }[] }>('quota')
  expect(meters.find(({ kind }) => kind === 'capsule')).toMatchObject({ used: 1 })
  const { offers } = await json<{ offers: unknown[] }>('pay offer')
  expect(offers.length).toBeGreaterThan(0)
})

it('audits the log of the directory, and goes on from there', async () => {
  const first = await json<{ log: string; size: number }>('directory audit')
  expect(await json<{ log: string; size: number }>('directory audit')).toMatchObject({ log: first.log, updates: 0 })
})

it('sends signed requests to services of the deployment only', async () => {
  expect(await json('request GET /api/chain/head --aud chain')).toMatchObject({ status: 200, body: { success: true } })
  const { code, stderr } = await machine.svc('request GET https://elsewhere.example/ --aud chain')
  expect(code).toBe(2)
  expect(stderr).toContain('is not a service of this deployment')
})
