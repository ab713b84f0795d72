import type { BackupWords } from './en.ts'

export const words: BackupWords = {
  title: 'Sicherung',
  lead: 'Geht dieser Browser verloren, dann auch der Hauptschlüssel, den es nur hier gibt. Verwahren Sie eine Kopie an einem anderen Ort.',
  elsewhere: 'Der Hauptschlüssel ist nicht in diesem Browser. Sichern Sie ihn auf dem Gerät, das ihn hat.',
  backup: 'Sicherungsdatei',
  backupLead:
    'Der Hauptschlüssel, mit einer Passphrase verschlüsselt. Wer Datei und Passphrase hat, hat Ihre Identität. Wählen Sie in einem neuen Browser „Ich habe eine Sicherungsdatei“, um sie dort zu benutzen.',
  newPassphrase: 'Passphrase für die Datei',
  next: 'Weiter',
  unlock: 'Öffnen Sie den Hauptschlüssel, um ihn für die Datei zu verschlüsseln.',
  download: 'Sicherung herunterladen',
  downloaded: 'Die Datei wurde heruntergeladen.',
  back: 'Zurück',
  recovery: 'Wiederherstellungsdatei',
  recoveryLead:
    'Gehört zu den Wiederherstellungswörtern, die Sie aufgeschrieben haben: Mit beiden ersetzen Sie einen verlorenen oder gestohlenen Hauptschlüssel in einem Tag. Die Datei enthält nichts Geheimes. Verwahren Sie sie fern von diesem Browser.',
  recoveryFile: 'Wiederherstellungsdatei holen',
  downloadRecovery: 'Wiederherstellungsdatei herunterladen',
  noRecovery: 'Zu diesem Hauptschlüssel ist keine Wiederherstellung verwahrt.',
  openTitle: 'Sicherungsdatei benutzen',
  openLead: 'Dieser Browser erhält den Hauptschlüssel aus der Datei und wird ein Gerät Ihrer Identität.',
  file: 'Sicherungsdatei',
  filePassphrase: 'Passphrase der Datei',
  openFile: 'Datei öffnen',
  chooseFile: 'Wählen Sie zuerst die Sicherungsdatei.',
  notBackup: 'Das ist keine Sicherungsdatei.',
  notOpened: 'Die Passphrase ist falsch, oder die Datei wurde verändert.',
  mismatch: 'Die Schlüssel in dieser Datei gehören nicht zu einer einzigen Identität.',
  withPasskey:
    'Diese Datei öffnet ein Passkey, keine Passphrase. Benutzen Sie eine Sicherung, die eine Passphrase öffnet.',
  noRoot: 'In dieser Datei ist kein Hauptschlüssel.',
  replaced: 'Ein anderer Hauptschlüssel hat den in dieser Datei ersetzt. Dieser kann nichts mehr.',
  protect: 'Hauptschlüssel schützen',
  opened: 'Die Datei enthält den Hauptschlüssel von:',
  protectLead:
    'Wählen Sie, womit er in diesem Browser verschlüsselt wird. Die Passphrase der Datei bleibt, wie sie ist.',
  passkeyName: 'Ihre Identität',
}
