import type { RefusalNames } from '@svc/service'

/** On core everything that is wrong with an assertion shares one answer; the audience and the clock are named. */
export const CORE_REFUSALS: RefusalNames = {
  missing: 'unauthorized',
  rejected: 'unauthorized',
  replay: 'unauthorized',
  audience: 'wrong_audience',
}
