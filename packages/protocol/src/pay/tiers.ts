/** Tiers, metered kinds, and what each tier allows per month (workers/docs/pages/developer/pay.md). */
import * as z from 'zod'
import { pure } from '../base/pure.ts'

/** In ascending order; if two are in force, the later one applies. */
export const TIERS = ['notes', 'provenance', 'atelier', 'research'] as const
export const tierSchema = /* @__PURE__ */ pure(() =>
  z
    .enum(TIERS)
    .meta({ id: 'Tier', description: '`notes` is free at signup; `research` is granted by the operator alone' }),
)
export type Tier = (typeof TIERS)[number]

export function rankOf(tier: Tier): number {
  return TIERS.indexOf(tier)
}

export const QUOTA_KINDS = ['capsule', 'video', 'text', 'search'] as const
export const quotaKindSchema = /* @__PURE__ */ pure(() =>
  z.enum(QUOTA_KINDS).meta({
    id: 'QuotaKind',
    description:
      '`capsule`: an image, video or text registered at provenance; only provenance can change this meter. `video`, ' +
      '`text`: one item fingerprinted by an application. `search`: one similarity search by an application',
  }),
)
export type QuotaKind = (typeof QUOTA_KINDS)[number]

/** Units per calendar month, UTC. */
export const TIER_LIMITS: { readonly [T in Tier]: { readonly [K in QuotaKind]: number } } = {
  notes: { capsule: 20, video: 5, text: 20, search: 100 },
  provenance: { capsule: 500, video: 50, text: 500, search: 5_000 },
  atelier: { capsule: 5_000, video: 500, text: 5_000, search: 50_000 },
  research: { capsule: 50_000, video: 5_000, text: 50_000, search: 500_000 },
}

export const tierLimitsSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ capsule: z.int(), video: z.int(), text: z.int(), search: z.int() })
    .meta({ id: 'TierLimits', description: 'Units of each kind per calendar month, UTC' }),
)

const KIB = 1024
const MIB = 1024 * KIB
const GIB = 1024 * MIB

/** What an identity keeps, and the unit of its budget. */
export const BUDGETS = {
  storedBytes: 'bytes at core: chain, devices, notes, pins, assets and anchors',
  storedRows:
    'records at core: blocks, events of devices, versions, attachments, pins, assets, transfers, receipts, anchors',
  searchChunks: 'chunks of registered texts in the index',
  capsules: 'registered images and videos',
  keypointBytes: 'bytes of keypoints',
  consentRecords: 'records of consent, and claims to identifiers of others',
  consentActs: 'signed declarations and changes of consent; they stay in histories, so deleting gives none back',
  organizationEvents:
    'events of an organization’s binding log; writing one needs a plan, and revoking is never refused',
  feedEvents: 'events of the event feed, 200 of each family; none is refused, the oldest of its family is deleted',
} as const
export type Budget = keyof typeof BUDGETS

/** The same in every tier: it warns of theft. 200 of each of the nine families, beside what is pending. */
export const MAX_EVENTS = 1_800

/** What an identity can keep at the same time; deleting gives it back. */
export const TIER_BUDGETS: { readonly [T in Tier]: { readonly [B in Budget]: number } } = {
  notes: {
    storedBytes: 128 * MIB,
    storedRows: 20_000,
    searchChunks: 5_000,
    capsules: 1_000,
    keypointBytes: 16 * MIB,
    consentRecords: 5_000,
    consentActs: 10_000,
    organizationEvents: 500,
    feedEvents: MAX_EVENTS,
  },
  provenance: {
    storedBytes: 2 * GIB,
    storedRows: 100_000,
    searchChunks: 100_000,
    capsules: 20_000,
    keypointBytes: 256 * MIB,
    consentRecords: 100_000,
    consentActs: 500_000,
    organizationEvents: 5_000,
    feedEvents: MAX_EVENTS,
  },
  atelier: {
    storedBytes: 4 * GIB,
    storedRows: 200_000,
    searchChunks: 1_000_000,
    capsules: 200_000,
    keypointBytes: 2 * GIB,
    consentRecords: 1_000_000,
    consentActs: 5_000_000,
    organizationEvents: 20_000,
    feedEvents: MAX_EVENTS,
  },
  research: {
    storedBytes: 6 * GIB,
    storedRows: 400_000,
    searchChunks: 10_000_000,
    capsules: 2_000_000,
    keypointBytes: 16 * GIB,
    consentRecords: 10_000_000,
    consentActs: 50_000_000,
    organizationEvents: 50_000,
    feedEvents: MAX_EVENTS,
  },
}
