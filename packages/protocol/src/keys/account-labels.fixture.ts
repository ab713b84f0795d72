/** The labels of the deployment in tests. */
import { REALM } from '../../test/realm.fixture.ts'
import { labelProver } from './label-prover.ts'

export const labels = labelProver(new Uint8Array(32).fill(110), REALM)
/** A lying directory: the same namespace under another key. */
export const otherLabels = labelProver(new Uint8Array(32).fill(111), REALM)
