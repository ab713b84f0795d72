import type { AddressRules } from '@svc/protocol/events/hooks'
import type { Config } from '../env.ts'

/** No hook leads to where the deployment itself answers. */
export function addressRulesOf({
  PUBLIC_ORIGINS,
  SERVICES,
  DOCS_URL,
  ENVIRONMENT,
}: Pick<Config, 'PUBLIC_ORIGINS' | 'SERVICES' | 'DOCS_URL' | 'ENVIRONMENT'>): AddressRules {
  const own = [...PUBLIC_ORIGINS, ...Object.values(SERVICES), DOCS_URL]
  return { ownHosts: own.map((url) => new URL(url).hostname), isLocal: ENVIRONMENT === 'local' }
}
