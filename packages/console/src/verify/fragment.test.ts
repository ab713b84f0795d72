import { expect, it } from 'vitest'
import { fragmentOf, inputOfFragment } from './fragment.ts'
import { typedInput } from './input.ts'

it('a link carries the evidence to the byte', async () => {
  const bytes = Uint8Array.from({ length: 3000 }, (_, at) => (at * 7) % 256)
  const fragment = await fragmentOf({ bytes, name: 'proof.json', type: '' })
  expect(fragment).toMatch(/^e=[\w-]+$/)
  expect((await inputOfFragment(fragment ?? ''))?.bytes).toEqual(bytes)
})

it('a link carries a DID, a hash or an address as it is', async () => {
  const did = `did:svc:${'A'.repeat(32)}`
  expect(await inputOfFragment(did)).toEqual(typedInput(did))
  expect(await inputOfFragment('https%3A%2F%2Fa.example%2Fb')).toEqual(typedInput('https://a.example/b'))
})

it('a link that was cut, or has nothing, carries nothing', async () => {
  expect(await inputOfFragment('')).toBeNull()
  expect(await inputOfFragment('e=AAAA')).toBeNull()
  expect(await inputOfFragment('e=%%%')).toBeNull()
  expect(await inputOfFragment('https%3A%2F%2Fa.example%2')).toBeNull()
})

it('what is too large has no link', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000))
  const large = new Uint8Array(240_000)
  for (let at = 0; at < large.length; at += bytes.length) large.set(crypto.getRandomValues(bytes), at)
  expect(await fragmentOf({ bytes: large, name: null, type: '' })).toBeNull()
})
