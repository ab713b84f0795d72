/** The tiers of the platform (document 2 section 2.4), the kinds that are metered, and what a tier allows in a month. */
import * as z from 'zod'

/** In rising order: of two that are in force the later one counts. */
export const TIERS = ['notes', 'provenance', 'atelier', 'research'] as const
export const tierSchema = z
  .enum(TIERS)
  .meta({ id: 'Tier', description: 'Free at signup is notes; research is by contact' })
export type Tier = (typeof TIERS)[number]

export function rankOf(tier: Tier): number {
  return TIERS.indexOf(tier)
}

export const QUOTA_KINDS = ['capsule', 'video', 'text', 'search'] as const
export const quotaKindSchema = z.enum(QUOTA_KINDS).meta({
  id: 'QuotaKind',
  description:
    '`capsule`: an image, video or text registered at provenance, which alone moves this meter. `video`, `text`: one of ' +
    'them fingerprinted by an application. `search`: one similarity search by an application',
})
export type QuotaKind = (typeof QUOTA_KINDS)[number]

/** Units in a calendar month, UTC. */
export const TIER_LIMITS: { readonly [T in Tier]: { readonly [K in QuotaKind]: number } } = {
  notes: { capsule: 20, video: 5, text: 20, search: 100 },
  provenance: { capsule: 500, video: 50, text: 500, search: 5_000 },
  atelier: { capsule: 5_000, video: 500, text: 5_000, search: 50_000 },
  research: { capsule: 50_000, video: 5_000, text: 50_000, search: 500_000 },
}

export const tierLimitsSchema = z
  .strictObject({ capsule: z.int(), video: z.int(), text: z.int(), search: z.int() })
  .meta({ id: 'TierLimits', description: 'Units of each kind in a calendar month, UTC' })
