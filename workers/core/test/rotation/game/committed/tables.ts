/**
 * What each theft comes to, solved: thieves by row, owners by column. Identities with a commitment, unless a title says
 * otherwise, in two ticks to a window.
 */
import type { Scene } from '../model.ts'
import { COARSE, RULEBOOK, type Rulebook } from '../rulebook.ts'

export interface Table {
  readonly title: string
  readonly book: Rulebook
  readonly rest: Partial<Scene>
  /** Thieves whose row takes seconds to solve. */
  readonly long?: readonly string[]
  readonly cells: string
}

export interface Row {
  readonly name: string
  readonly thief: string
  readonly owners: readonly string[]
  readonly expected: readonly string[]
  readonly table: Table
  readonly isLong: boolean
}

const final = { commitment: 'final' } as const
const replaceable = { commitment: 'replaceable' } as const

export const TABLES: readonly Table[] = [
  {
    title: 'everything is seen',
    book: COARSE,
    rest: final,
    cells: `
      thief   RDS  RS KDS  KS  DS   S  RD   R   D
      R        +2  +2  +2  +2   =   =   =   =   =
      D        +2  +2  +2  +2   =   =   =   =   =
      RD       +2  +2  +2  +2   =   =   =   =   =
      S        +4  +4  +4  +4   =   =   =   =   =
      RS       +4   =  +4  -6  -4  -4  -2  -2  -2
      DS       +4  +4  +4  +4   =   =   =   =   =
      RDS       =  -4   =  -4  -4  -4  -2  -2  -2
      nobody   +2  +2  +2  +2  +5  +5   =   =   =`,
  },
  {
    title: 'root key and device may replace the successors (R19)',
    book: COARSE,
    rest: replaceable,
    cells: `
      thief   RDS  RS KDS  KS  DS   S  RD   R   D
      R        +2  +2  +2  +2   =   =  +5   = -10
      D        +2  +2  +2  +2   =   =  +5   =   =
      RD       +2  +2  +2  +2   =   =  -9  -5  -5
      S        +4  +4  +4  +4   =   =   =   =   =
      RS       +4   =  +4  -6  -4  -4  -2  -2  -2
      DS       +4  +4  +4  +4   =   =   =   =   =
      RDS       =  -4   =  -4  -4  -4  -2  -2  -2
      nobody   +2  +2  +2  +2  +5  +5  +5   =   =`,
  },
  {
    title: 'with an operator',
    book: COARSE,
    rest: { ...final, operator: true },
    long: ['R', 'RS', 'RDS'],
    cells: `
      thief   RDS  RS KDS  KS  DS   S  RD
      R        +2  +2  +2  +2  +3  +3   =
      D        +2  +2  +2  +2  +3  +3   =
      RD       +2  +2  +2  +2  +3  +3   =
      S        +3  +3  +3  +3  +3  +3   =
      RS       +3  +3  +3  +3  +3  +3  -2
      DS       +3  +3  +3  +3  +3  +3   =
      RDS      +3  +3  +3  +3  +3  +3  -2
      nobody   +2  +2  +2  +2  +3  +3   =`,
  },
  {
    title: 'with a deceived operator',
    book: COARSE,
    rest: { ...final, operator: 'deceived' },
    cells: `
      thief    RS  KS   S  RD
      R        +2  +2  +3   =
      D        +2  +2  +3   =
      RD       +2  +2  +3   =
      S        -3  -3  -3  -3`,
  },
  {
    title: 'from the first sign, changes of devices and rotations are seen (R18)',
    book: COARSE,
    rest: { ...final, view: 'devices' },
    cells: `
      thief   RDS  RS KDS  KS
      R        +2  +2  +2  +2
      D         o   o   o   o
      RD       +2   o  +2   o
      S        +4  +4  +4  +4
      RS       +4   =  +4  -6
      DS       +4  +4  +4  +4`,
  },
  {
    title: 'from the first sign, rotations alone are seen',
    book: COARSE,
    rest: { ...final, view: 'rotations' },
    cells: `
      thief   RDS  KS
      R         o   o
      D         o   o
      RD        o   o
      S        +4  +4
      RS       -9  -6
      DS       +4  +4`,
  },
  {
    title: 'nobody looks',
    book: COARSE,
    rest: { ...final, isAbsent: true },
    cells: `
      thief   RDS
      R         =
      D         =
      RD        =
      S        -5
      RS       -2
      DS       -5
      RDS      -2`,
  },
  {
    title: 'nobody looks, and the successors may be replaced',
    book: COARSE,
    rest: { ...replaceable, isAbsent: true },
    cells: `
      thief   RDS
      R       -10
      D         =
      RD       -5
      S        -5
      RS       -2`,
  },
  {
    title: 'one restore at the worst moment',
    book: COARSE,
    rest: { ...final, restores: 1 },
    cells: `
      thief    RS  KS
      R        +5  +5
      D        +5  +5
      RD       +5  +5`,
  },
  {
    title: 'the owner looks too late, changes of devices are seen',
    book: { ...COARSE, look: 3 },
    rest: { ...final, view: 'devices' },
    cells: `
      thief   KDS
      R        +3
      RS       +6`,
  },
  {
    title: 'three ticks to a window, a look every second',
    book: RULEBOOK,
    rest: final,
    cells: `
      thief   KDS  KS   S  RD
      R        +5  +5   =   =
      RD       +5  +5   =   =
      S        +7  +7   =   =`,
  },
  {
    title: 'without a commitment, everything is seen',
    book: RULEBOOK,
    rest: {},
    long: ['R', 'RD'],
    cells: `
      thief    RD  KD   R   K   D
      R        +7  +7  -0  -0  -9
      D       +15   = +15   =   =
      RD      -15 -12  -6  -3 -12`,
  },
  {
    title: 'without a commitment, rotations alone are seen',
    book: RULEBOOK,
    rest: { view: 'rotations' },
    long: ['R', 'RD'],
    cells: `
      thief    RD  KD   R
      R        -9  -9  -0
      D         o   o   o
      RD      -15 -12  -6`,
  },
  {
    title: 'without a commitment, from the first sign, changes of devices are seen (R18)',
    book: RULEBOOK,
    rest: { view: 'devices' },
    long: ['R', 'RD'],
    cells: `
      thief    RD  KD   R
      R        +6  +6  -0
      D         o   o   o
      RD      -15 -12  -6`,
  },
  {
    title: 'without a commitment, nobody looks',
    book: COARSE,
    rest: { isAbsent: true },
    cells: `
      thief    RD
      R        -4
      D         =
      RD       -2`,
  },
  {
    title: 'without a commitment, one restore at the worst moment',
    book: COARSE,
    rest: { restores: 1 },
    cells: `
      thief    RD  KD
      D       +15   =
      R        +9  +9`,
  },
  {
    title: 'without a commitment, the owner looks too late, changes of devices are seen',
    book: { ...COARSE, look: 3 },
    rest: { view: 'devices' },
    cells: `
      thief    KD
      R        +6`,
  },
]

/** Every row of every table. */
export const ROWS: readonly Row[] = TABLES.flatMap((table) => {
  const [head = [], ...rows] = table.cells
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  return rows.map(([thief = '', ...expected]) => ({
    name: `${table.title}: ${thief}`,
    thief,
    owners: head.slice(1),
    expected,
    table,
    isLong: table.long?.includes(thief) ?? false,
  }))
})
