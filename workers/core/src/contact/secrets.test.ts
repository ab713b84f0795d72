import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { describe, expect, it } from 'vitest'
import { ContactSecrets } from './secrets.ts'

const DID = `did:svc:${'PDw8'.repeat(8)}`
const OTHER = `did:svc:${'AAAA'.repeat(8)}`
const [ONE, ANOTHER] = ['1c'.repeat(32), '2c'.repeat(32)]
const secrets = new ContactSecrets(new Map([[1, ONE]]))
const others = new ContactSecrets(new Map([[2, ANOTHER]]))

describe('the id of a contact request', () => {
  it('leads to its inbox for the deployment that minted it only', async () => {
    const id = await secrets.mint(DID)
    expect(id).toMatch(/^[A-Za-z0-9_-]{80}$/)
    expect(await secrets.ownerOf(id)).toBe(DID)
    expect(await others.ownerOf(id)).toBeNull()
    expect(await secrets.mint(DID)).not.toBe(id)
  })

  it('tells nobody else anything: all of its bytes differ from request to request', async () => {
    const ids = await Promise.all(Array.from({ length: 256 }, () => secrets.mint(DID)))
    const seen = Array.from({ length: 60 }, () => new Set<number>())
    for (const id of ids) for (const [position, byte] of bytesOf(id).entries()) seen[position]?.add(byte)
    // 256 random bytes have 162 different values, give or take 5.
    for (const [position, values] of seen.entries()) expect(values.size, String(position)).toBeGreaterThan(110)
  })

  it('is rejected with any bit changed, and in any other form', async () => {
    const id = await secrets.mint(DID)
    for (let position = 0; position < 60; position += 1) {
      const bytes = bytesOf(id).slice()
      bytes.set([(bytes[position] ?? 0) ^ 1], position)
      expect(await secrets.ownerOf(encodeBase64url(bytes)), String(position)).toBeNull()
    }
    for (const text of ['', 'x', id.slice(1), `${id}A`, `${id.slice(0, 79)}=`, OTHER]) {
      expect(await secrets.ownerOf(text), text).toBeNull()
    }
  })

  it('is not valid for another owner', async () => {
    const [mine, theirs] = [await secrets.mint(DID), await secrets.mint(OTHER)]
    expect(await secrets.ownerOf(mine.slice(0, 32) + theirs.slice(32))).toBeNull()
  })
})

describe('the stored hashes of a code and an address', () => {
  it('differ by request, code and deployment', async () => {
    const hash = await secrets.codeHash('r1', '123456')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(await secrets.codeHash('r1', '123456')).toBe(hash)
    expect(await secrets.codeHash('r2', '123456')).not.toBe(hash)
    expect(await secrets.codeHash('r1', '123457')).not.toBe(hash)
    expect(await others.codeHash('r1', '123456')).not.toBe(hash)
  })

  it('are the same for every spelling of one mailbox, and reveal nothing about it', async () => {
    const names = await secrets.countedNames('ada@example.org')
    expect(await secrets.countedNames('Ada+one@Example.ORG')).toEqual(names)
    expect(await secrets.countedNames('ada@example.com')).not.toEqual(names)
    expect(await others.countedNames('ada@example.org')).not.toEqual(names)
    expect((await secrets.countedNames('bob@mail.example.org')).domain).toEqual(names.domain)
    expect((await secrets.countedNames('ada@gmail.com')).domain).toEqual([])
    for (const name of [...names.mailbox, ...names.domain]) expect(name).toMatch(/^[0-9a-f]{64}$/)
  })

  it('cannot be computed without a seed', async () => {
    const none = new ContactSecrets(new Map())
    await expect(none.mint(DID)).rejects.toThrow('contact secrets is unavailable')
    await expect(none.codeHash('r', '000000')).rejects.toThrow('contact secrets is unavailable')
  })
})

describe('with a new version of the seed', () => {
  const changing = new ContactSecrets(
    new Map([
      [1, ONE],
      [2, ANOTHER],
    ]),
  )

  it('a request stays under the seed that minted it', async () => {
    const [before, after] = [await secrets.mint(DID), await changing.mint(DID)]
    expect(await changing.ownerOf(before)).toBe(DID)
    expect(await changing.codeHash(before, '123456')).toBe(await secrets.codeHash(before, '123456'))
    expect(await secrets.ownerOf(after)).toBeNull()
    expect(await changing.codeHash(after, '123456')).toBe(await others.codeHash(after, '123456'))
  })

  it('an address is counted under both versions, so that nobody gets a fresh count', async () => {
    const one = await secrets.countedNames('ada@example.org')
    const other = await others.countedNames('ada@example.org')
    expect(await changing.countedNames('ada@example.org')).toEqual({
      mailbox: [...other.mailbox, ...one.mailbox],
      domain: [...other.domain, ...one.domain],
    })
  })
})
