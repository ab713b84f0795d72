import { CONTEST_MS, STANDING_MS } from '@svc/protocol/chain/rotation'
import { DAY_MS } from '../rotation.fixture.ts'

/** The times of the service. */
export const TIMES = { windowMs: DAY_MS, contestMs: CONTEST_MS, standingMs: STANDING_MS }
