import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { signedConsentSettleSchema } from '../consent/settlement.ts'
import type { ActService } from './act.ts'
import {
  entitlementCodeActSchema,
  keysOperatorActSchema,
  licenceActSchema,
  operatorActSchema,
  operatorEpochSchema,
  payOperatorActSchema,
  provenanceOperatorActSchema,
} from './acts.ts'
import { commitmentImportSchema, consentImportSchema, signedConsentImportSchema } from './imports.ts'
import { rebuildCoreObjectsSchema, rebuildSchemas } from './rebuild-objects.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 29)
const DID = `did:svc:${'A'.repeat(32)}`
const HASH = 'a7'.repeat(48)
const common = { realm: 'https://core.example', nonce: 'Qk3vZ1mT8sYw5rXd0aGhJg', issuedAt: NOW }
const preferences = { ai_training: 'disallow' }

interface Dated {
  readonly schema: z.ZodType
  readonly path: string
  readonly with: (date: number) => object
  /** The first and the last that are taken, and what is refused before and after them. */
  readonly from: number
  readonly until: number
}

const grantDates = { from: NOW, until: NOW + 3660 * DAY }
const pastDates = { from: Date.UTC(2000, 0, 1), until: NOW + 300_000 }
const epoch = { type: 'svc/operator-epoch/v1', service: 'keys', epoch: 1, ...common }
const DATES: Record<string, Dated> = {
  'the beginning of an epoch': {
    schema: operatorEpochSchema,
    path: 'opensAt',
    with: (opensAt) => ({ ...epoch, opensAt, closesAt: NOW + 366 * DAY }),
    from: NOW - DAY,
    until: NOW + 366 * DAY,
  },
  'the end of an epoch': {
    schema: operatorEpochSchema,
    path: 'closesAt',
    with: (closesAt) => ({ ...epoch, opensAt: NOW, closesAt }),
    from: NOW - DAY,
    until: NOW + 366 * DAY,
  },
  'the last day of a code': {
    schema: entitlementCodeActSchema,
    path: 'redeemableUntil',
    with: (redeemableUntil) => ({
      type: 'svc/operator-entitlement-code/v1',
      service: 'pay',
      codeHash: HASH,
      tier: 'atelier',
      days: 30,
      redeemableUntil,
      ...common,
    }),
    ...grantDates,
  },
  'the end of a licence': {
    schema: licenceActSchema,
    path: 'expiresAt',
    with: (expiresAt) => ({
      type: 'svc/operator-licence/v1',
      service: 'pay',
      did: DID,
      source: 'licence',
      action: 'grant',
      tier: 'atelier',
      expiresAt,
      ...common,
    }),
    ...grantDates,
  },
  'the time of a loss': {
    schema: rebuildCoreObjectsSchema,
    path: 'lostAt',
    with: (lostAt) => ({
      type: 'svc/operator-rebuild-objects/v1',
      service: 'core',
      objects: 'vaults',
      name: null,
      after: null,
      replaces: false,
      lostAt,
      ...common,
    }),
    ...pastDates,
  },
  'the date of an imported commitment': {
    schema: commitmentImportSchema,
    path: 'commitments.0.createdAt',
    with: (createdAt) => ({
      type: 'svc/operator-import-commitments/v1',
      service: 'provenance',
      commitments: [{ id: 'old-1', commitmentHash: 'x', algorithm: 'x', did: null, createdAt, record: null }],
      ...common,
    }),
    ...pastDates,
  },
  'the date of an imported record of consent': {
    schema: consentImportSchema,
    path: 'records.0.declaredAt',
    with: (declaredAt) => ({
      type: 'svc/operator-import-consent/v1',
      service: 'consent',
      records: [{ contentHash: `sha256:${'0f'.repeat(32)}`, preferences, declaredAt }],
      ...common,
    }),
    ...pastDates,
  },
}

describe.each(Object.entries(DATES))('%s', (_, { schema, path, with: withDate, from, until }) => {
  const faults = (date: number) => schema.safeParse(withDate(date)).error?.issues.map((issue) => issue.path.join('.'))

  it('is taken within its bounds', () => {
    expect([faults(from), faults(until)]).toEqual([undefined, undefined])
  })

  it.each([
    ['just before', from - 1],
    ['just after', until + 1],
    ['in seconds', NOW / 1000],
    ['in microseconds', NOW * 1000],
    ['never', 0],
  ])('is refused %s', (_when, date) => {
    expect(faults(date)).toEqual([path])
  })
})

/** What each service takes. */
const ACTS: Readonly<Record<ActService, z.ZodType>> = {
  core: operatorActSchema,
  keys: keysOperatorActSchema,
  pay: payOperatorActSchema,
  provenance: provenanceOperatorActSchema,
  consent: z.union([signedConsentSettleSchema, signedConsentImportSchema, rebuildSchemas.consent]),
  did: rebuildSchemas.did,
}

interface JsonSchema {
  readonly $ref?: string
  readonly const?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** What is tested above, as its type and path. Rebuilds have one form at every service. */
const held = new Set(
  Object.values(DATES).map(({ with: withDate, path }) => `${(withDate(NOW) as { type: string }).type} ${path}`),
)

it.each(Object.entries(ACTS))('holds every date of the acts of %s to a rule', (_, acts) => {
  const whole = z.toJSONSchema(acts, { io: 'input', unrepresentable: 'any' }) as JsonSchema & {
    readonly $defs?: Readonly<Record<string, JsonSchema>>
  }
  const resolved = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : { ...whole.$defs?.[schema.$ref.replace('#/$defs/', '')], ...schema }
  /** The members that are dates, by their name or by what is said of them. */
  const datesIn = (schema: JsonSchema, path: string): string[] => {
    const { properties = {}, items, anyOf = [] } = resolved(schema)
    const members = Object.entries(properties).flatMap(([name, member]) => {
      const isDate = /(?:At|On|Until|Since|Date|Time)$/.test(name) || /epoch ms/i.test(member.description ?? '')
      return [...(isDate ? [path + name] : []), ...datesIn(member, `${path}${name}.`)]
    })
    return [...members, ...(items ? datesIn(items, `${path}0.`) : []), ...anyOf.flatMap((one) => datesIn(one, path))]
  }
  const formsOf = (schema: JsonSchema): JsonSchema[] => {
    const { anyOf, ...form } = resolved(schema)
    return anyOf ? anyOf.flatMap(formsOf) : [form]
  }
  const statements = formsOf(whole).flatMap(({ properties }) => formsOf(properties?.['statement'] ?? {}))
  const dates = statements.flatMap((statement) => {
    const type = resolved(statement.properties?.['type'] ?? {}).const
    // An act that is published as a leaf of a log has a name of its own.
    if (type !== 'svc/withheld/v1') expect(type).toMatch(/^svc\/operator-/)
    // The service holds `issuedAt` to its clock, and a person's own statement has rules of its own.
    const { issuedAt: _issued, request: _request, ...own } = statement.properties ?? {}
    return datesIn({ properties: own }, `${type} `)
  })
  expect(dates.filter((date) => !held.has(date))).toEqual([])
})
