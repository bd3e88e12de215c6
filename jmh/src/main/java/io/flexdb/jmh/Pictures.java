package io.flexdb.jmh;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;

/** Empty charts that look alike, and their SVG files. */
public final class Pictures {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 500;

    private Pictures() {}

    /** For lines over numbers. */
    public static XYChart lines(String title, String x, String y) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        return chart;
    }

    /** For bars side by side. */
    public static CategoryChart bars(String title, String y) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setXAxisLabelRotation(30).setChartBackgroundColor(Color.WHITE);
        return chart;
    }

    /** Writes a chart that has anything to show. */
    public static void write(Chart<?, ?> chart, Path directory, String name) throws IOException {
        if (!chart.getSeriesMap().isEmpty()) {
            Files.createDirectories(directory);
            String target = directory.resolve(name + ".svg").toString();
            VectorGraphicsEncoder.saveVectorGraphic(chart, target, VectorGraphicsFormat.SVG);
        }
    }
}
