import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openingOf } from './evidence-files.ts'
import { makeFiles, REALM } from './files.ts'
import { newMachine } from './svc.ts'

const machine = newMachine({
  fetch: async (url) => {
    throw new Error(`Asked for ${url}`)
  },
})
afterAll(() => machine.remove())
const { did, chain, message } = await makeFiles()
const file = (name: string, value: unknown) => writeFileSync(join(machine.home, name), JSON.stringify(value))

describe('a chain, offline', () => {
  it('is valid, and of the expected DID', async () => {
    file('chain.json', { blocks: chain })
    const { code, stdout } = await machine.svc(`verify chain.json --offline --did ${did} --json`)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'chain', verdict: 'valid', did, next: null })
  })

  it('says that nobody named its owner', async () => {
    const { code, stdout } = await machine.svc('verify chain.json --offline')
    expect(code).toBe(0)
    expect(stdout).toContain('??  owner: as the first block says')
  })

  it('ends with 3 for another DID, a changed block and a missing one', async () => {
    const other = `did:svc:${'A'.repeat(32)}`
    expect((await machine.svc(`verify chain.json --offline --did ${other}`)).code).toBe(3)
    file('changed.json', [chain[0], { ...chain[1], dataHash: 'ab'.repeat(48) }])
    const { code, stdout, stderr } = await machine.svc('verify changed.json --offline')
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(
      /^error: The chain is invalid at block 1: .+ Next: do not rely on it; .+ See .*\/developer\/verification\n$/,
    )
    file('cut.json', [chain[1]])
    expect((await machine.svc('verify cut.json --offline')).code).toBe(3)
  })

  it('reads standard input', async () => {
    expect((await machine.svc('verify - --offline', { stdin: JSON.stringify(chain) })).code).toBe(0)
  })
})

describe('a message, offline', () => {
  it('is valid for the realm that it was signed for', async () => {
    file('message.json', message)
    expect((await machine.svc(`verify message.json --offline --realm ${REALM}`)).code).toBe(0)
    expect((await machine.svc('verify message.json --offline --realm https://other.example')).code).toBe(3)
  })

  it('ends with 3 if it is malformed', async () => {
    file('broken.json', { statement: { type: 'svc/message/v1' } })
    expect((await machine.svc(`verify broken.json --offline --realm ${REALM}`)).code).toBe(3)
  })
})

describe('what is encrypted', () => {
  it('is named, asks nobody and stays undecided', async () => {
    const armored = '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n-----END AGE ENCRYPTED FILE-----\n'
    writeFileSync(join(machine.home, 'backup.age'), armored)
    const { code, stdout } = await machine.svc('verify backup.age')
    expect(code).toBe(4)
    expect(stdout).toContain('undecided: sealed, only its owner can open it\n  ??  encrypted: a file of age')
    expect(stdout).toContain('Next: only the person who has the key can open it')
    expect(JSON.parse((await machine.svc('verify backup.age --json')).stdout)).toMatchObject({
      kind: 'sealed',
      did: null,
    })
  })

  it('ends with 3 if it is cut', async () => {
    writeFileSync(join(machine.home, 'cut.age'), '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n')
    expect((await machine.svc('verify cut.age')).code).toBe(3)
  })
})

describe('the opening of a commitment, offline', () => {
  const content = new TextEncoder().encode('a plan')
  file('plan.opening.json', openingOf(did, content))
  writeFileSync(join(machine.home, 'plan.txt'), content)

  it('asks for the content', async () => {
    const { code, stdout } = await machine.svc('verify plan.opening.json --offline')
    expect(code).toBe(4)
    expect(stdout).toContain('undecided: commitment, the file was not compared\n')
    expect(stdout).toContain('Next: pass the file with --file')
  })

  it('fits its content and DID, and its registration stays open', async () => {
    const { code, stdout } = await machine.svc(`verify plan.opening.json --offline --file plan.txt --did ${did}`)
    expect(code).toBe(4)
    expect(stdout).toContain('ok  opening: the content and the salt make this commitment')
    expect(stdout).toContain('Next: run it without --offline')
  })

  it('ends with 3 for other content', async () => {
    const { code } = await machine.svc(`verify plan.opening.json --offline --file chain.json --did ${did}`)
    expect(code).toBe(3)
  })
})

describe('what cannot be decided offline', () => {
  it.each([
    ['a DID', did],
    ['a hash', 'ab'.repeat(48)],
    ['an anchor', 'anchor.json'],
    ['a picture', 'photo.jpg'],
  ])('%s ends with 4, and says how to go on', async (_, what) => {
    file('anchor.json', { format: 'svc/anchor-bundle/v2' })
    writeFileSync(join(machine.home, 'photo.jpg'), new Uint8Array([0xff, 0xd8, 0xff]))
    const { code, stdout } = await machine.svc(`verify ${what} --offline`)
    expect(code).toBe(4)
    expect(stdout).toMatch(/^undecided: /)
    expect(stdout).toContain('Next: run it without --offline')
  })
})

it('ends with 6 where core does not answer', async () => {
  const { code, stderr } = await machine.svc(`verify ${did} --core https://core.example`)
  expect(code).toBe(6)
  expect(stderr).toContain('svc doctor')
})

describe('a hash', () => {
  it('of another function is refused, with the one that is meant', async () => {
    const { code, stderr } = await machine.svc(`verify ${'ab'.repeat(32)}`)
    expect(code).toBe(2)
    expect(stderr).toContain('This looks like SHA-256')
    expect(stderr).toContain('openssl dgst -sha3-384')
  })
})
