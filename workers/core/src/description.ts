import { CORE_SHAPE, type ServiceDescription } from '@svc/service'
import { CORE_REFUSALS } from './refusals.ts'
import { CORE_VERSION } from './version.ts'

export const CORE_DESCRIPTION: ServiceDescription = {
  service: 'core',
  version: CORE_VERSION,
  title: 'Core service',
  summary: 'Identities, their signed chains, and signature verification.',
  shape: CORE_SHAPE,
  // A foreign Origin is refused on reads as well (readings 13a).
  origins: () => 'checked',
  pages: ['/invite-request'],
  refusals: CORE_REFUSALS,
  markdownPaths: ['/docs/API.md', '/api/docs.md'],
  retired: [
    { path: '/api/account/heal/', error: 'endpoint_retired' },
    { path: '/api/inbox/{did}/{msgId}/reply', error: 'endpoint_retired' },
  ],
}

/** Core over service bindings: no public hostname reaches it, and browsers and tiers do not apply. */
export const INTERNAL_DESCRIPTION: ServiceDescription = {
  ...CORE_DESCRIPTION,
  title: 'Core service, internal routes',
  summary: 'For the sibling Workers of one deployment, over service bindings only.',
  origins: () => 'none',
  markdownPaths: [],
  retired: [],
  isInternal: true,
}
