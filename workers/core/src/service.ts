import {
  CORE_SHAPE,
  internalDescription,
  REFUSAL_NAMES,
  type RefusalNames,
  route,
  type ServiceDescription,
} from '@svc/service'
import type { Services } from './services.ts'

/** A replay looks like any other invalid assertion; only the audience and the clock are named. */
export const CORE_REFUSALS: RefusalNames = {
  ...REFUSAL_NAMES,
  replay: 'unauthorized',
}

export const CORE_DESCRIPTION: ServiceDescription = {
  service: 'core',
  version: '1.5.2',
  title: 'Core service',
  summary:
    'Identities and what belongs to them: a signed chain, devices, the root key and its rotation, encrypted notes, ' +
    'assets, anchors and an inbox.',
  shape: CORE_SHAPE,
  // A foreign Origin is rejected on reads as well.
  origins: () => 'checked',
  pages: ['/invite-request', '/activation'],
  refusals: CORE_REFUSALS,
  markdownPaths: ['/docs/API.md', '/api/docs.md'],
  retired: [
    { path: '/api/account/heal/', error: 'endpoint_retired' },
    { path: '/api/inbox/{did}/{msgId}/reply', error: 'endpoint_retired' },
  ],
}

export const INTERNAL_DESCRIPTION = internalDescription(CORE_DESCRIPTION)

/** Binds an operation of this Worker to its handler. */
export const coreRoute = route<Services>()
