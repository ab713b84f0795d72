import type { Step } from '../runs/step-runner.ts'
import { DEFAULT_STEPS } from './default-steps.ts'
import { LONG_STEPS } from './long-steps.ts'

export const STEPS: readonly Step[] = [...DEFAULT_STEPS, ...LONG_STEPS]
