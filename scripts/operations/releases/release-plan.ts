import type { RawConfig } from '../worker-deployment.ts'

/**
 * Whether a Worker changes its Durable Object classes. Cloudflare applies that to all objects at once and takes no version
 * with it, so such a Worker gets all traffic with its upload, and does not go back.
 */
export function changesClasses({ migrations }: Pick<RawConfig, 'migrations'>, applied: string | null): boolean {
  const newest = migrations?.at(-1)?.tag ?? null
  return newest !== null && newest !== applied
}

/** The version that everything goes back to: the one with most traffic, and of two the one that had it before. */
export function versionBefore(shares: readonly { readonly versionId: string; readonly percentage: number }[]) {
  return shares.toSorted((a, b) => b.percentage - a.percentage)[0]?.versionId ?? null
}
