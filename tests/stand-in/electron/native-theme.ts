import type Electron from 'electron';
import { appSide, host } from '../channel/app-side.ts';
import { StrictEmitter } from './strict.ts';

type Implemented = Pick<
  Electron.NativeTheme,
  'shouldUseDarkColors' | 'shouldUseDarkColorsForSystemIntegratedUI' | 'themeSource'
>;

class NativeTheme extends StrictEmitter implements Implemented {
  private source: Electron.NativeTheme['themeSource'] = 'system';
  private systemIsDark = false;

  constructor() {
    super('nativeTheme');
  }

  get shouldUseDarkColors(): boolean {
    return this.source === 'system' ? this.systemIsDark : this.source === 'dark';
  }
  get shouldUseDarkColorsForSystemIntegratedUI(): boolean {
    return this.systemIsDark;
  }
  get themeSource(): Electron.NativeTheme['themeSource'] {
    return this.source;
  }
  set themeSource(source: Electron.NativeTheme['themeSource']) {
    this.source = source;
    void host.setColorScheme(this.shouldUseDarkColors ? 'dark' : 'light');
    this.emit('updated');
  }
  systemChanged(dark: boolean): void {
    if (dark === this.systemIsDark) return;
    this.systemIsDark = dark;
    if (this.source === 'system') this.emit('updated');
  }
}

export const nativeTheme = new NativeTheme();
appSide.systemThemeChanged = (dark) => nativeTheme.systemChanged(dark);
