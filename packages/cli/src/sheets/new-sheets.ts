import type { SheetRecord, SuccessorSheet } from '#client/recovery-words'
import { CliError, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { mustBeNew, writeNew } from '../files.ts'
import { type Given, list } from '../result.ts'
import { numbered } from './numbered.ts'
import { sheetOf } from './typed-sheet.ts'

const TRIES = 3

/** A new sheet, and when its owner typed words of it. */
export interface MadeSheet {
  readonly sheet: SuccessorSheet
  readonly confirmedAt: number | null
}

/**
 * Creates the sheets of a new identity. Shows them to a person, who types two words of each, or writes them to the files
 * of `--sheet-file`. Creates none with `--no-sheets`, or without a terminal and files.
 */
export async function newSheets(context: Context, given: Given): Promise<readonly MadeSheet[]> {
  const files = list(given, 'sheetFile').map((file) => context.pathOf(file))
  if (given.options['sheets'] === false) {
    if (files.length > 0) throw usage('--sheet-file and --no-sheets exclude each other', 'leave one of them out')
    return without(context, 'Without sheets of words')
  }
  if (files.length > 0) return written(context, files)
  if (!context.environment.isTerminal)
    return without(context, 'Without a terminal, no sheets were created. Without them')
  const first = await shown(context, 'first')
  const { prompts } = context.environment
  const second = 'Create a second sheet, for another place? Either one can recover the identity'
  if (!(await context.output.asking(() => prompts.confirm(second)))) return [first]
  return [first, await shown(context, 'second')]
}

/** Restores the sheets of an unfinished creation from their words, because the identity commits to their keys. */
export async function sheetsAgain(
  context: Context,
  given: Given,
  begun: { readonly scope: string; readonly records: readonly SheetRecord[] },
): Promise<readonly MadeSheet[]> {
  const files = list(given, 'sheetFile')
  const again: MadeSheet[] = []
  for (const [at, record] of begun.records.entries()) {
    const sheet = await sheetOf(await wordsOf(context, files[at], at + 1))
    const { publicKeyB64u } = await sheet.successor({ scope: begun.scope, epoch: record.firstEpoch })
    if (publicKeyB64u !== record.publicKeysB64u[0])
      throw usage(
        `These are not the words of sheet ${at + 1}`,
        'pass the sheets in the order in which you created them',
      )
    again.push({ sheet, confirmedAt: record.confirmedAt })
  }
  return again
}

async function wordsOf(context: Context, file: string | undefined, number: number): Promise<string> {
  if (file !== undefined) return context.readText(file)
  const { isTerminal, prompts } = context.environment
  const words = isTerminal
    ? await context.output.asking(() => prompts.password(`The 24 words of sheet ${number}`))
    : null
  if (words !== null) return words
  throw usage('The words of the sheets are needed to finish this identity', 'pass their files with --sheet-file')
}

function without({ output }: Context, why: string): readonly MadeSheet[] {
  output.warn(
    `${why}, a thief of the root key can name the next one. Create sheets at a terminal, or with --sheet-file FILE FILE.`,
  )
  return []
}

async function written(context: Context, files: readonly string[]): Promise<readonly MadeSheet[]> {
  const { SuccessorSheet: Sheet } = await import('#client/recovery-words')
  if (new Set(files).size < files.length || files.length > 2)
    throw usage('An identity has one or two sheets, each in its own file', 'pass --sheet-file FILE FILE')
  for (const file of files) await mustBeNew(file)
  const made: MadeSheet[] = []
  for (const file of files) {
    const sheet = Sheet.create()
    await writeNew(file, `${sheet.revealWords()}\n`)
    made.push({ sheet, confirmedAt: null })
  }
  context.output.warn(
    `Anyone who has ${files.join(' or ')} can take over the identity. Move the words to paper or away from this machine, then run svc recovery confirm.`,
  )
  return made
}

/** Creates a sheet, shows it on standard error, and asks for two of its words. */
export async function shown(context: Context, which: string): Promise<MadeSheet> {
  const { SuccessorSheet: Sheet } = await import('#client/recovery-words')
  const sheet = Sheet.create()
  const { output } = context
  output.say(`The ${which} sheet. Write these 24 words on paper. Anyone who has them can ask for your identity.`)
  output.say('')
  for (const line of numbered(sheet.revealWords().split(' '))) output.say(line)
  output.say('')
  for (let tries = 0; tries < TRIES; tries++) {
    if (await isConfirmed(context, sheet)) return { sheet, confirmedAt: context.environment.now() }
    output.say('At least one word does not match the sheet.')
  }
  throw new CliError({
    exitCode: EXIT.refused,
    code: 'unconfirmed',
    message: 'The words were not confirmed, so nothing was created',
    next: 'run it again, and write down the new words',
    page: '/developer/successors#sheets-of-words',
  })
}

async function isConfirmed({ environment, output }: Context, sheet: SuccessorSheet): Promise<boolean> {
  const { askedPositions, confirmsWords } = await import('#client/recovery-words')
  const positions = askedPositions()
  const typed: string[] = []
  for (const position of positions)
    typed.push((await output.asking(() => environment.prompts.text(`Word ${position}, from the paper`))) ?? '')
  return confirmsWords(sheet, positions, typed)
}
