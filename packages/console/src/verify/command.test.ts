import { expect, it } from 'vitest'
import { commandOf } from './command.ts'
import { NO_SETTINGS, typedInput } from './input.ts'

const did = `did:svc:${'A'.repeat(32)}`

it('names what was typed, and the file of everything else', () => {
  expect(commandOf('did', typedInput(did), NO_SETTINGS)).toBe(`svc verify ${did}`)
  const input = { bytes: new Uint8Array(), name: 'my proof.json', type: '' }
  expect(commandOf('proof', input, NO_SETTINGS)).toBe("svc verify 'my proof.json'")
  expect(commandOf('chain', typedInput('[]'), NO_SETTINGS)).toBe('svc verify evidence.json')
})

it('has an option for each setting, quoted for a shell', () => {
  const content = { bytes: new Uint8Array(), name: "it's.jpg", type: '' }
  const settings = { ...NO_SETTINGS, expectedDid: did, content, logKeyB64u: 'AAAA', isOffline: true }
  expect(commandOf('proof', typedInput(''), settings)).toBe(
    String.raw`svc verify evidence.json --did ${did} --file 'it'\''s.jpg' --log-key AAAA --offline`,
  )
})
