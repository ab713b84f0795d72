/**
 * Sheets whose words are all lost, with `svc` on two machines against a running platform. A device needs 24 hours of
 * standing to replace them, by the clock of the root key, so the platform refuses this one.
 */
import { sharedPlatform } from '@svc/platform/shared-platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformMachine } from './machine.ts'
import { ownerWithSheet } from './owner-with-sheet.ts'

const MAX_MS = 60_000
const { core } = sharedPlatform().urls
const [laptop, phone] = [new PlatformMachine(), new PlatformMachine()]
afterAll(() => {
  for (const machine of [laptop, phone]) machine.remove()
})

describe('sheets whose words are all lost', () => {
  beforeAll(async () => {
    const { root, device } = await ownerWithSheet(core)
    laptop.write('keys.json', root)
    phone.write('keys.json', device)
    for (const machine of [laptop, phone]) {
      await machine.json(`init --core ${core}`)
      await machine.json('id import keys.json')
    }
  }, MAX_MS)

  it('are not replaced with a device that is new', { timeout: MAX_MS }, async () => {
    await laptop.json('rotate start --lost-sheets --sheet-file new.txt')
    expect(await laptop.failure('rotate start --lost-sheets --sheet-file newer.txt')).toBe('2 usage')
    phone.write('request.json', laptop.read('request.json'))
    expect(await phone.failure('rotate cosign --request request.json')).toBe('5 not_eligible')
    expect(await laptop.failure('rotate activate')).toBe('5 rotation_not_pending')
    expect(await laptop.json('rotate status')).toMatchObject({ rotation: null })
  })
})
