import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Identity } from '@svc/client'
import { exportKeys } from '@svc/client/backup'
import { generateHybridIdentity, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Environment, Keychain } from '../src/index.ts'
import { Passphrases } from '../src/keys/passphrase.ts'
import type { Output } from '../src/output.ts'
import { type Machine, newMachine, PASSPHRASE } from './svc.ts'

const identity = await Identity.create()
const { did } = identity
/** Made once: deriving a key from a passphrase is slow on purpose. */
const exported = JSON.stringify(await exportKeys({ identity }, PASSPHRASE))
const folder = '.local/share/svc/keys'
const keyFile = `${did.slice(8)}.json`

let machine: Machine
beforeEach(() => {
  machine = newMachine()
  writeFileSync(join(machine.home, 'keys.json'), exported)
})
afterEach(() => machine.remove())

function passphrasesOf({ isTerminal = false, answers = [] as readonly string[], descriptor = new Uint8Array() }) {
  const left = [...answers]
  const environment = {
    isTerminal,
    readDescriptor: async () => descriptor,
    prompts: { password: async () => left.shift() ?? null },
  } as unknown as Environment
  const output = { asking: (ask: () => Promise<unknown>) => ask() } as unknown as Output
  return new Passphrases(environment, output, isTerminal ? undefined : 3)
}

const fromDescriptor = { descriptor: `${PASSPHRASE}\n` }
/** As after an import, whose own test is below. */
function withKeys(): void {
  mkdirSync(join(machine.home, folder), { recursive: true })
  writeFileSync(join(machine.home, folder, keyFile), exported)
}

describe('importing', () => {
  it('keeps the keys encrypted, in a file for its user only', async () => {
    const done = await machine.svc('id import keys.json --passphrase-fd 3', fromDescriptor)
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`Imported the keys of ${did}.\n`) })
    expect(done.stdout).toContain(`Next: svc init --core URL --did ${did}`)
    const file = join(machine.home, folder, keyFile)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 'svc/identity-export/v1', did })
  })

  it('follows the XDG folders', async () => {
    const variables = { XDG_DATA_HOME: join(machine.home, 'elsewhere') }
    await machine.svc('id import keys.json --passphrase-fd 3', { ...fromDescriptor, variables })
    expect(statSync(join(machine.home, 'elsewhere/svc/keys', keyFile)).isFile()).toBe(true)
  })

  it('ends with 7 for a wrong passphrase, in one line with the page', async () => {
    const { code, stdout, stderr } = await machine.svc('id import keys.json --passphrase-fd 3', {
      descriptor: 'a wrong one',
    })
    expect(code).toBe(7)
    expect(stdout).toBe('')
    expect(stderr).toBe(
      'error: The passphrase or passkey is wrong, or the export was modified. Next: type the passphrase again, or take another backup. See http://localhost:8794/developer/backup\n',
    )
  })

  it('ends with 3 for a file of another kind', async () => {
    writeFileSync(join(machine.home, 'other.json'), '{}')
    expect((await machine.svc('id import other.json --passphrase-fd 3', fromDescriptor)).code).toBe(3)
  })

  it('ends with 2 for a file that is not there', async () => {
    const { code, stderr } = await machine.svc('id import none.json')
    expect(code).toBe(2)
    expect(stderr).toContain('none.json cannot be read (ENOENT)')
  })

  it('replaces keys only if told to', async () => {
    withKeys()
    const unasked = await machine.svc('id import keys.json --passphrase-fd 3', fromDescriptor)
    expect(unasked.code).toBe(2)
    expect(unasked.stderr).toContain('pass --yes')
    const confirmed = await machine.svc('id import keys.json --passphrase-fd 3 --yes', fromDescriptor)
    expect(confirmed.code).toBe(0)
    const copy = /^The keys that were here before are in (.+)$/m.exec(confirmed.stdout)?.[1] ?? ''
    expect(readFileSync(copy, 'utf8')).toBe(exported)
    expect(statSync(copy).mode & 0o777).toBe(0o600)
    expect((await machine.svc('id list --json')).stdout.match(/did:svc/g)).toHaveLength(1)
    const asked = { ...fromDescriptor, isTerminal: true, answers: [false] }
    expect((await machine.svc('id import keys.json --passphrase-fd 3', asked)).code).toBe(5)
  })

  it('does nothing with --dry-run', async () => {
    const { stdout } = await machine.svc('id import keys.json --passphrase-fd 3 --dry-run', fromDescriptor)
    expect(stdout).toContain('Would import')
    expect((await machine.svc('id list --json')).stdout).toBe('{\n  "identities": []\n}\n')
  })
})

describe('a profile without an identity', () => {
  it('is told of the keys that are here before it is told to make new ones', async () => {
    const profiles = join(machine.home, '.config/svc/profiles')
    mkdirSync(profiles, { recursive: true })
    const profile = { core: 'https://core.example', realm: 'https://core.example', origin: null, docs: '' }
    writeFileSync(join(profiles, 'default.json'), JSON.stringify({ ...profile, did: null, signer: null }))
    expect((await machine.svc('chain head')).stderr).toContain(
      'Next: svc id new, svc id import FILE, or svc device join.',
    )
    withKeys()
    expect((await machine.svc('chain head')).stderr).toContain(`Next: svc init --did ${did}, or svc id new.`)
  })
})

describe('a passphrase', () => {
  it('opens keys in the form that another keyboard types', async () => {
    const typed = 'Cre\u0300me fu\u0308r \u304b\u3099\u3093'
    const keys = JSON.stringify(await exportKeys({ identity }, typed.normalize('NFC')))
    writeFileSync(join(machine.home, 'keys.json'), keys)
    const { code, stderr } = await machine.svc('id import keys.json --passphrase-fd 3', { descriptor: typed })
    expect([code, stderr]).toEqual([0, ''])
  })

  it('is the same when its second typing has another form, and in a file with a byte order mark', async () => {
    const typed = 'Cre\u0300me fu\u0308r Zoe\u0308'
    const asked = { isTerminal: true, answers: [typed, typed.normalize('NFC')] }
    const chosen = await passphrasesOf(asked).chosen('the file')
    const given = { descriptor: new Uint8Array(Buffer.from(`\ufeff${typed}\r\n`, 'utf16le')) }
    expect(await passphrasesOf(given).existing('the file')).toBe(chosen)
  })

  it('in a file of another encoding is refused, and not read as another passphrase', async () => {
    const descriptor = new Uint8Array(Buffer.from('Crème für Zoë', 'latin1'))
    const { code, stderr } = await machine.svc('id import keys.json --passphrase-fd 3', { descriptor })
    expect(code).toBe(2)
    expect(stderr).toContain('File descriptor 3 is not a text in UTF-8: it seems to be a text in an older encoding')
  })

  it('is never asked for without a terminal', async () => {
    const { code, stderr } = await machine.svc('id import keys.json')
    expect(code).toBe(7)
    expect(stderr).toContain('pass --passphrase-fd N')
  })

  it('is asked for at a terminal', async () => {
    expect((await machine.svc('id import keys.json', { isTerminal: true, answers: [PASSPHRASE] })).code).toBe(0)
    expect((await machine.svc(`id show ${did}`, { isTerminal: true, answers: [null] })).code).toBe(7)
  })

  it('has no option and no variable that other programs could read', async () => {
    expect((await machine.svc(`id import keys.json --passphrase ${PASSPHRASE.split(' ')[0]}`)).code).toBe(2)
    const variables = { SVC_PASSPHRASE: PASSPHRASE, PASSPHRASE }
    expect((await machine.svc('id import keys.json', { variables })).code).toBe(7)
  })

  it('says which descriptor cannot be read', async () => {
    const { code, stderr } = await machine.svc('id import keys.json --passphrase-fd 9')
    expect(code).toBe(2)
    expect(stderr).toContain('File descriptor 9 cannot be read')
    expect((await machine.svc('id import keys.json --passphrase-fd 3', { descriptor: '\n' })).code).toBe(7)
  })
})

describe('showing', () => {
  it('lists the identities without opening them', async () => {
    withKeys()
    expect((await machine.svc('id list')).stdout).toBe(`  ${did}\n`)
  })

  it('opens the file, and shows nothing secret', async () => {
    withKeys()
    const { stdout } = await machine.svc(`id show ${did} --json --passphrase-fd 3`, fromDescriptor)
    expect(JSON.parse(stdout)).toMatchObject({ did, root: { epoch: 0 }, devices: [], hasRecovery: false })
    expect(stdout).not.toMatch(/seed/i)
  })

  it('ends with 7 for keys that are not here, and 2 for a malformed DID', async () => {
    expect((await machine.svc(`id show ${did}`)).code).toBe(7)
    expect((await machine.svc('id show ../../etc/passwd')).code).toBe(2)
  })
})

describe('exporting', () => {
  it('writes the encrypted file, to standard output or to a new file', async () => {
    withKeys()
    const { stdout } = await machine.svc(`id export ${did}`)
    expect(JSON.parse(stdout)).toMatchObject({ format: 'svc/identity-export/v1', did })
    expect((await machine.svc(`id export ${did} --quiet`)).stdout).toBe(stdout)
    expect((await machine.svc(`id export ${did} --out copy.json`)).code).toBe(0)
    expect(statSync(join(machine.home, 'copy.json')).mode & 0o777).toBe(0o600)
    const again = await machine.svc(`id export ${did} --out copy.json`)
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('cannot be written (EEXIST)')
  })
})

describe('a backup for an age key', () => {
  it('is opened by that key on another machine, under a new passphrase', async () => {
    withKeys()
    const secret = await generateHybridIdentity()
    const backup = ['id', 'backup', did, '--to', await identityToRecipient(secret), '--passphrase-fd', '3']
    const { code, stdout } = await machine.svc(backup, fromDescriptor)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/)
    const kept = await machine.svc([...backup, '--out', 'copy.age', '--json'], fromDescriptor)
    expect(JSON.parse(kept.stdout)).toEqual({ did, file: join(machine.home, 'copy.age'), content: null })
    const other = newMachine({ descriptor: 'another long passphrase' })
    mkdirSync(other.home, { recursive: true })
    writeFileSync(join(other.home, 'keys.age'), stdout)
    writeFileSync(join(other.home, 'key.txt'), `# created today\n${secret}\n`)
    expect((await other.svc('id import keys.age --age-identity key.txt --passphrase-fd 3')).code).toBe(0)
    const shown = await other.svc(`id show ${did} --json --passphrase-fd 3`)
    expect(JSON.parse(shown.stdout)).toMatchObject({ did, root: { epoch: 0 } })
    writeFileSync(join(other.home, 'wrong.txt'), await generateHybridIdentity())
    expect((await other.svc('id import keys.age --age-identity wrong.txt')).code).toBe(3)
    expect((await other.svc('id import keys.age')).code).toBe(2)
    other.remove()
  })

  it('is refused for a recipient without post-quantum protection', async () => {
    withKeys()
    const recipient = await identityToRecipient(await generateX25519Identity())
    const { code, stderr } = await machine.svc(['id', 'backup', did, '--to', recipient])
    expect(code).toBe(2)
    expect(stderr).toContain('The recipient is not a post-quantum age key')
  })
})

describe('the keychain', () => {
  const newKeychain = (): { readonly kept: Map<string, string>; readonly keychain: Keychain } => {
    const kept = new Map<string, string>()
    const keychain: Keychain = {
      get: async (of) => kept.get(of) ?? null,
      set: async (of, passphrase) => void kept.set(of, passphrase),
      delete: async (of) => void kept.delete(of),
    }
    return { kept, keychain }
  }

  it('keeps the passphrase, so that nothing is asked', async () => {
    const { keychain } = newKeychain()
    await machine.svc('id import keys.json --keychain --passphrase-fd 3', { ...fromDescriptor, keychain })
    expect((await machine.svc(`id show ${did}`, { keychain })).code).toBe(0)
    expect((await machine.svc(`id show ${did} --passphrase-fd 3`, fromDescriptor)).code).toBe(7)
  })

  it.each(['', ' --keychain'])('keeps the same passphrase for keys that are imported again%s', async (option) => {
    const { kept, keychain } = newKeychain()
    const outside = { ...fromDescriptor, keychain }
    await machine.svc('id import keys.json --keychain --passphrase-fd 3', outside)
    const before = kept.get(did)
    expect((await machine.svc(`id import keys.json${option} --yes --passphrase-fd 3`, outside)).code).toBe(0)
    expect(kept.get(did)).toBe(before)
    expect((await machine.svc(`id show ${did}`, { keychain })).code).toBe(0)
  })

  it('is refused where there is none', async () => {
    const { code, stderr } = await machine.svc('id import keys.json --keychain --passphrase-fd 3', fromDescriptor)
    expect(code).toBe(7)
    expect(stderr).toContain('leave out --keychain')
  })
})
