import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'

describe('the export key of a sign-in', () => {
  const sources = globSync('packages/client/src/**/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ name: basename(file), text: readFileSync(join(ROOT, file), 'utf8') }))

  it('goes to the application; only these modules of the SDK handle it', () => {
    expect(sources.length).toBeGreaterThan(20)
    // WebCrypto has a method of the same name.
    const own = sources.map(({ name, text }) => ({
      name,
      text: text.replaceAll(/exportKey\((format: )?'raw-public'/g, ''),
    }))
    const knowing = own.filter(({ text }) => /\bexportKey\b|export key\b|\bPRF\b|\bprf\b/.test(text))
    // A passkey that encrypts keys at rest has an input of its own, so it gives another output than at sign-in.
    const atRest = ['export-error.ts', 'exported-keys.ts', 'key-lock.ts', 'passkey-key.ts']
    const signIn = [
      'local-wrap.ts',
      'opaque.ts',
      'passkey-prf.ts',
      'passkey-secret.ts',
      'sign-in-shapes.ts',
      'sign-in.ts',
    ]
    const names = [...signIn, ...atRest].toSorted()
    expect(knowing.map(({ name }) => name).toSorted()).toEqual(names)
  })

  it('stays apart from identities: modules for sign-in and modules with seeds do not import each other', () => {
    const signIn = sources.filter(({ name }) =>
      /^(?:local-wrap|opaque\.|passkey-prf|passkey-secret|sign-in)/.test(name),
    )
    const imports = signIn.flatMap(({ text }) => [...text.matchAll(/from '(\.[^']+)'/g)].map((match) => match[1]))
    expect(imports.filter((path) => /identity|device|sealing|note|rotation|rendezvous/.test(path ?? ''))).toEqual([])
    const others = sources.filter((source) => !signIn.includes(source))
    expect(others.length).toBeGreaterThan(15)
    expect(
      others.filter(({ text }) =>
        /from '\.[^']*\/(?:local-wrap|opaque|passkey-prf|passkey-secret|sign-in)(?!-)/.test(text),
      ),
    ).toEqual([])
  })
})
