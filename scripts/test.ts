import { parseArgs, styleText } from 'node:util'
import { type Finished, runSteps, type Step, stopRunning } from './lib/step-runner.ts'
import { FIXES, STEPS } from './lib/test-steps.ts'
import { CORES, firstSentence } from './lib/workspace.ts'

const HELP = `Usage: scripts/test [options]

Runs everything that must hold before a change goes in. Ends with a line "N passed, N failed".

  --only STEP   run this step alone (may be repeated)
  --list        name the steps
  --fix         write generated files and formatting instead of checking them
  --help        show this`

interface Options {
  steps: Step[]
  lanes: number
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopRunning()
    process.exit(130)
  })

const { steps, lanes } = readOptions()
const width = Math.max(...steps.map(({ name }) => name.length)) + 2
const finished = await runSteps(steps, lanes, printLine)
for (const { name, output } of finished.filter(({ failed }) => failed > 0))
  console.log(`\n${styleText('bold', `── ${name}`)}\n${output.trimEnd()}`)
const passed = finished.reduce((sum, step) => sum + step.passed, 0)
const failed = finished.reduce((sum, step) => sum + step.failed, 0)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: [] },
        list: { type: 'boolean', default: false },
        fix: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help || values.list) {
      console.log(values.help ? HELP : STEPS.map(({ name, about }) => `${name.padEnd(12)}${about}`).join('\n'))
      process.exit(0)
    }
    const unknown = values.only.find((name) => STEPS.every((step) => step.name !== name))
    if (unknown !== undefined) throw new Error(`There is no step '${unknown}'`)
    if (values.fix) return { steps: FIXES, lanes: 1 }
    const chosen = values.only.length === 0 ? STEPS : STEPS.filter(({ name }) => values.only.includes(name))
    return { steps: chosen, lanes: Math.max(2, CORES) }
  } catch (error) {
    console.error(`${firstSentence(error)}; scripts/test --help lists the options.`)
    process.exit(2)
  }
}

function printLine(step: Finished): void {
  const verdict = step.failed > 0 ? styleText('red', 'FAILED') : styleText('green', 'ok    ')
  const tests = step.passed + step.failed > 1 ? `  ${step.passed} of ${step.passed + step.failed} tests` : ''
  const note = step.note === undefined ? '' : `  ${step.note}`
  console.log(`${step.name.padEnd(width)}${verdict}  ${step.seconds.toFixed(1).padStart(5)} s${tests}${note}`)
}
