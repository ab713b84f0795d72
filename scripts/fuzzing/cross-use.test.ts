/**
 * No signature serves for another kind, realm, identity or time. One key signs an instance of everything that a key of the
 * platform signs, and each is presented wherever another kind is verified.
 */
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { STATEMENT_TYPES, type StatementType, verifyStatement } from '@svc/protocol/base/statement'
import { classify } from '@svc/protocol/statements/classify'
import { isOwnedStatement } from '@svc/protocol/statements/owned'
import { STATEMENT_RULES } from '@svc/protocol/statements/rules'
import { afterAll, describe, expect, it } from 'vitest'
import { type SignedKind, signedKinds } from './signed-kinds.ts'

const SEED = 1
const PER_KIND = 2
const keySeed = new Uint8Array(32).fill(7)
const publicKey = await mlDsa65.publicKeyOf(keySeed)
const otherKey = await mlDsa65.publicKeyOf(new Uint8Array(32).fill(8))
const kinds = await signedKinds(PER_KIND, SEED)

let presented = 0
afterAll(() => {
  console.log(`${presented} presentations of ${kinds.length} signed kinds, each refused`)
})

interface Presented {
  readonly kind: SignedKind
  readonly instance: object
  readonly bytes: Uint8Array
  readonly signatureB64u: string
}

const signed: Presented[] = []
for (const kind of kinds) {
  for (const instance of kind.instances) {
    const bytes = kind.bytesOf(instance)
    signed.push({ kind, instance, bytes, signatureB64u: encodeBase64url(await mlDsa65.sign(keySeed, bytes)) })
  }
}
const statements = signed.filter(({ kind }) => isStatement(kind.name))
const realmOf = ({ instance }: Presented) => (instance as { readonly realm: string }).realm

function isStatement(name: string): name is StatementType {
  return STATEMENT_TYPES.some((type) => type === name)
}

function kindOf(name: string): string | null {
  if (isStatement(name)) return isOwnedStatement(name) ? name : null
  return /^(?:(assertion)|chain (block)|(consent))/.exec(name)?.slice(1).find(Boolean) ?? null
}

it('has an instance of every statement, block, assertion and message', () => {
  expect(kinds.map(({ name }) => name)).toEqual(expect.arrayContaining([...STATEMENT_TYPES]))
  expect(kinds.length).toBeGreaterThan(STATEMENT_TYPES.length)
})

describe.each(kinds)('what is signed as $name', ({ name, takes }) => {
  const own = signed.filter(({ kind }) => kind.name === name)

  it('is read as that', () => {
    for (const { bytes } of own) expect(takes(bytes)).toBe(true)
  })

  it('is read as nothing else', () => {
    for (const other of kinds.filter((kind) => kind.name !== name)) {
      const takers = own.filter(({ bytes }) => other.takes(bytes))
      presented += own.length
      expect(takers, `as ${other.name}`).toEqual([])
    }
  })

  it('is classified as that if an owner signs it, and else as nothing', async () => {
    const kind = kindOf(name)
    for (const { bytes } of own) expect(await classify(bytes)).toBe(kind)
  })

  it('does not sign a statement of another kind', async () => {
    const [first] = own
    for (const other of statements.filter(({ kind }) => kind.name !== name)) {
      presented++
      const forged = { statement: other.instance, signatureB64u: first?.signatureB64u ?? '' }
      expect(await verifyStatement(forged, publicKey, [realmOf(other)]), `as ${other.kind.name}`).toBe(false)
    }
  })
})

describe.each(statements)('a statement $kind.name', (one) => {
  const { instance: statement, signatureB64u, kind } = one
  const refused = async (changed: object, key = publicKey, realm = realmOf(one)) => {
    presented++
    return !(await verifyStatement({ statement: changed, signatureB64u }, key, [realm]))
  }

  it('verifies as it was signed, and in no other realm and under no other key', async () => {
    expect(await refused(statement)).toBe(false)
    presented--
    expect(await refused(statement, publicKey, 'https://another.example')).toBe(true)
    expect(
      await refused({ ...statement, realm: 'https://another.example' }, publicKey, 'https://another.example'),
    ).toBe(true)
    expect(await refused(statement, otherKey)).toBe(true)
  })

  it('verifies for no other subject, after no other event and at no other time', async () => {
    const { subject, replay } = STATEMENT_RULES[kind.name as StatementType]
    const place = 'inception' in statement ? ['inception'] : []
    for (const member of new Set([...subject, ...replay.members, ...place, 'issuedAt'])) {
      expect(await refused({ ...statement, [member]: anotherValue(statement, member) }), member).toBe(true)
    }
  })
})

function anotherValue(statement: object, member: string): unknown {
  const value = (statement as Readonly<Record<string, unknown>>)[member]
  return typeof value === 'number' ? value + 1 : `${JSON.stringify(value)} `
}
