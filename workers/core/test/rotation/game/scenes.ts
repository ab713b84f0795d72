import type { Scene, Side } from './model.ts'

const thief = (rest: Side = {}): Side => ({ root: true, ...rest })
const KEEPS: Side = { requests: 1, devices: ['old'] }

/** What thief and owner hold, "thief | owner". The page on rotation has a row for each. */
export const SCENES = {
  'root | device, kept request': { T: thief({ attests: 1, found: true }), O: KEEPS },
  'root | device, root copy': { T: thief({ attests: 1 }), O: { root: true, devices: ['old'] } },
  'root | vetoing device, kept request': { T: thief(), O: { requests: 1, devices: ['veto'] } },
  'root | vetoing device, root copy, operator': { T: thief(), operator: true, O: { root: true, devices: ['veto'] } },
  'root | vetoing device, handed request, slow operator': {
    T: thief(),
    operator: true,
    operatorTicks: 6,
    O: { handed: true, devices: ['veto'] },
  },
  'root | device': { T: thief({ attests: 1 }), O: { devices: ['old'] } },
  'root, expired device | device, kept request': { T: thief({ devices: ['expired'] }), O: KEEPS },
  'root, device | device, root copy, operator': {
    T: thief({ devices: ['old'] }),
    operator: true,
    O: { root: true, devices: ['old'] },
  },
  'root, device | device, root copy': { T: thief({ devices: ['old'] }), O: { root: true, devices: ['old'] } },
  'root, device | device, kept requests, operator': {
    T: thief({ devices: ['old'] }),
    operator: true,
    O: { ...KEEPS, handed: true },
  },
  'root, device | root copy, operator': { T: thief({ devices: ['old'] }), operator: true, O: { root: true } },
  'root, device | root copy': { T: thief({ devices: ['old'] }), O: { root: true } },
  'device | root': { T: { devices: ['old'] }, O: { root: true } },
  'device | root, operator': { T: { devices: ['old'] }, operator: true, O: { root: true } },
  'expired device | root': { T: { devices: ['expired'] }, O: { root: true } },
  'root | device, root copy, deceived operator': {
    T: thief(),
    operator: 'deceived',
    O: { root: true, devices: ['old'] },
  },
  'device | root, deceived operator': { T: { devices: ['old'] }, operator: 'deceived', O: { root: true } },
  'root, guardians | device, kept request': { T: thief({ devices: ['guardians'] }), O: KEEPS },
  'root, guardians | device, root copy': {
    T: thief({ devices: ['guardians'] }),
    O: { root: true, devices: ['old'] },
  },
  'root | vetoing device, guardians, kept request': {
    T: thief(),
    O: { requests: 1, devices: ['veto', 'guardians'] },
  },
  'root | guardians, kept request': { T: thief(), O: { requests: 1, devices: ['guardians'] } },
  'root | root copy, no devices': { T: thief(), O: { root: true } },
  'nobody | root, device': { T: {}, O: { root: true, devices: ['old'] } },
  'nobody | root': { T: {}, O: { root: true } },
} as const satisfies Record<string, Scene>

export type SceneName = keyof typeof SCENES
