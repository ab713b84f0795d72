import { CONTENTS } from '../contents.ts'
import { FEATURES } from './feature-status.ts'

export const FEATURE_MARKER = '<!-- The table below is generated from scripts/site/features/feature-status.ts -->'

const PROTOCOL = /^Protocol: /

/** Every feature with its status, in the order of the data. A page of the protocol without a feature is an error. */
export function featureTable(): string {
  const missing = pagesWithoutFeature()
  if (missing.length > 0)
    throw new Error(`scripts/site/features/feature-status.ts has no feature of ${missing.join(', ')}`)
  const rows = FEATURES.map(({ name, page, status, missing: rest }) => {
    return `| [${name}](/developer/${page}) | ${status} | ${rest ?? '–'} |`
  })
  return ['| Feature | Status | Missing for the next status |', '|---|---|---|', ...rows].join('\n')
}

export function pagesWithoutFeature(features: readonly { readonly page: string }[] = FEATURES): string[] {
  const named = new Set(features.map(({ page }) => page))
  return CONTENTS.filter(({ title }) => PROTOCOL.test(title))
    .flatMap(({ slugs }) => slugs)
    .filter((slug) => !named.has(slug))
}
