import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'

describe('the key that signing in gives', () => {
  const sources = globSync('packages/client/src/*.ts')
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ name: basename(file), text: readFileSync(file, 'utf8') }))

  it('is handed to the application, and no module of the SDK but these knows of it', () => {
    expect(sources.length).toBeGreaterThan(20)
    const knowing = sources.filter(({ text }) => /exportKey|export key|\bPRF\b|\bprf\b/.test(text))
    expect(knowing.map(({ name }) => name).toSorted()).toEqual(['local-wrap.ts', 'passkey-prf.ts', 'sign-in.ts'])
  })

  it('reaches no identity: what signs in and what holds seeds import nothing of each other', () => {
    const signIn = sources.filter(({ name }) => /^(?:local-wrap|passkey-prf|sign-in)/.test(name))
    const imports = signIn.flatMap(({ text }) => [...text.matchAll(/from '(\.[^']+)'/g)].map((match) => match[1]))
    expect(imports.filter((path) => /identity|device|sealing|note|rotation|rendezvous/.test(path ?? ''))).toEqual([])
    const others = sources.filter((source) => !signIn.includes(source))
    expect(others.filter(({ text }) => /from '\.\/(?:local-wrap|passkey-prf|sign-in)/.test(text))).toEqual([])
  })
})
