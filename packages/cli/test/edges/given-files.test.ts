import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { newMachine } from '../svc.ts'

const machine = newMachine()
afterAll(() => machine.remove())

/** How a command ends that is given such a file, before it asks for a key or a service. */
async function given(words: readonly string[], value: unknown): Promise<string> {
  writeFileSync(join(machine.home, 'given.json'), JSON.stringify(value))
  const { code, stderr } = await machine.svc([...words, 'given.json'])
  return `${code} ${stderr}`
}

const ciphertextB64u = Buffer.alloc(1088, 1).toString('base64url')

it.each([
  ['of another length', { prekey: { prekeyId: 'A'.repeat(32) }, ciphertextB64u: ciphertextB64u.slice(4) }],
  ['for an id that every object has', { prekey: { prekeyId: 'constructor' }, ciphertextB64u }],
  ['without a secret', { prekey: { prekeyId: 'A'.repeat(32) }, ciphertextB64u: null }],
])('a reservation %s is refused', async (_, value) => {
  expect(await given(['directory', 'open'], value)).toMatch(/^2 .*has no secret of a reservation/)
})

it.each([
  ['of another length', { fragment: [[1, -1]] }, 'look at fragment.0'],
  ['with another value', { semantic: [Array.from({ length: 256 }, () => 0)] }, 'look at semantic.0'],
  ['of another kind', { text: [] }, 'does not hold vectors'],
  ['of no kind', {}, 'does not hold vectors'],
])('vectors %s are refused', async (_, value, told) => {
  const ended = await given(['capsule', 'search'], value)
  expect(ended).toMatch(/^2 /)
  expect(ended).toContain(told)
})

it('vectors of two kinds are not one search', async () => {
  const one = [Array.from({ length: 256 }, () => 1)]
  expect(await given(['capsule', 'search'], { fragment: one, semantic: one })).toContain('several kinds')
})
