import type { CommanderError } from 'commander'
import { type CliError, usage } from './cli-error.ts'
import type { CommandSpec } from './command.ts'
import type { GlobalOptions } from './context.ts'
import { markIds } from './dashes.ts'
import type { Environment } from './environment.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { failureOf } from './failures.ts'
import { GROUPS } from './groups.ts'
import { globalsOf, programOf } from './program.ts'
import type { Given } from './result.ts'
import { guarded } from './terminal.ts'
import { VERSION } from './version.ts'

/** Runs one command line, without the name of the program, and returns how it ended. Never throws. */
export async function run(argv: readonly string[], outside: Environment): Promise<ExitCode> {
  const environment = guarded(outside)
  let code: ExitCode = EXIT.ok
  const { stdout, stderr, variables, hasColours, errorsHaveColours } = environment
  const act = async (spec: CommandSpec, options: GlobalOptions, given: Given) => {
    code = await runOne(environment, spec, options, given)
  }
  const isColourful = !variables['NO_COLOR']
  const program = programOf(act, {
    stdout,
    stderr,
    hasColours: hasColours && isColourful,
    errorsHaveColours: errorsHaveColours && isColourful,
  })
  try {
    // Only alone: commands have options of this name.
    if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
      stdout(`${VERSION}\n`)
      return EXIT.ok
    }
    // What the script of `svc completion` calls while somebody types.
    if (argv[0] === 'complete' && argv[1] === '--') {
      const { complete } = await import('./setup/completion.ts')
      stdout(await complete(program, argv.slice(2)))
      return EXIT.ok
    }
    await program.parseAsync(markIds(argv), { from: 'user' })
    return code
  } catch (error) {
    return ended(error, argv, environment, globalsOf(program))
  }
}

async function runOne(
  environment: Environment,
  spec: CommandSpec,
  options: GlobalOptions,
  given: Given,
): Promise<ExitCode> {
  const { Context } = await import('./context.ts')
  const context = new Context(environment, options)
  try {
    const result = await context.output.during(`svc ${spec.path}`, () => spec.run(context, given))
    context.output.result(result)
    return result.exitCode ?? EXIT.ok
  } catch (error) {
    const failure = await failureOf(error, await context.docs())
    context.output.failure(failure)
    return failure.exitCode
  } finally {
    context.close()
  }
}

/** The parser throws for help, for the version and for every mistake. */
async function ended(
  error: unknown,
  argv: readonly string[],
  environment: Environment,
  options: GlobalOptions,
): Promise<ExitCode> {
  const { code, message } = error as Partial<CommanderError>
  if (code === 'commander.helpDisplayed') return EXIT.ok
  if (code === 'commander.help') return EXIT.usage
  const { Context } = await import('./context.ts')
  // The parser may have stopped before it came to the option.
  const context = new Context(environment, { ...options, json: argv.includes('--json') })
  const isMistake = code?.startsWith('commander.') === true || error instanceof TypeError
  const failure = await failureOf(isMistake ? misused(message ?? '', argv) : error, await context.docs())
  context.output.failure(failure)
  return failure.exitCode
}

/** The help of the command that was typed, as far as it is one. */
function misused(message: string, argv: readonly string[]): CliError {
  const [first = '', second = ''] = argv
  const paths = GROUPS.flatMap(({ name, commands }) => [
    ...(name === null ? [] : [name]),
    ...commands.map(({ path }) => path),
  ])
  const typed = [`${first} ${second}`, first].find((words) => paths.includes(words))
  return usage(message.replace(/^error: /, ''), `svc ${typed === undefined ? '' : `${typed} `}--help`)
}
